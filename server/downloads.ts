/** What authors and games download from the service: the clients and the sender, with their checksums. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createTar } from 'nanotar'
import { buildClient, type PackageFile } from '../client/build.ts'
import { buildGame } from '../game/build.ts'
import type { Page } from './src/docs/render-pages.ts'

/** Builds the downloads. The same sources give the same bytes. */
export function buildDownloads(): Page[] {
  const { version } = JSON.parse(read('client/package.json')) as { version: string }
  const files = [
    {
      name: `chancery-client-${version}.tgz`,
      contentType: 'application/gzip',
      content: pack(buildClient()),
    },
    {
      name: `chancery-game-${version}.tgz`,
      contentType: 'application/gzip',
      content: pack(buildGame()),
    },
    {
      name: 'chancery.py',
      contentType: 'text/x-python; charset=utf-8',
      content: Buffer.from(read('examples/python/chancery.py')),
    },
  ]
  const checksums = files.map(({ name, content }) => `${hash('sha256', content)}  ${name}\n`).join('')
  return [...files, { name: 'SHA256SUMS', contentType: 'text/plain; charset=utf-8', content: checksums }].map(
    ({ name, ...page }) => ({ ...page, path: `/downloads/${name}` }),
  )
}

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

/** Packs a package as npm installs it: gzipped, in the folder `package`. */
function pack(built: PackageFile[]): Buffer {
  const files = built.map(({ name, content }) => ({ name: `package/${name}`, data: content }))
  return gzipSync(createTar(files, { attrs: { mtime: 0, mode: '644', user: 'root', group: 'root' } }), {
    level: 9,
  })
}
