/** Builds the pages of the documentation into a directory: by `npm ci`, in the image, and for a server that finds a source changed. */
import { rm } from 'node:fs/promises'
import { buildDownloads } from './downloads.ts'
import { buildPages } from './src/docs/build-pages.ts'
import { pagesDirectory } from './src/docs/built-pages.ts'

const [directory] = process.argv.slice(2)
// A server that builds them again leaves to others what they read.
if (directory === undefined) await rm(pagesDirectory, { recursive: true, force: true })
await buildPages(directory ?? pagesDirectory, buildDownloads())
