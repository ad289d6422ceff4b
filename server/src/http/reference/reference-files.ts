import { once } from 'node:events'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { gunzip } from 'node:zlib'
import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference'
import { createOnce, type StaticFile, tagOf } from '../static-file.ts'

/** What the reference page consists of. */
export interface ReferenceFiles {
  html: string
  script: Omit<StaticFile, 'headers'>
}

/** Makes the files of the reference page, in a thread that ends with it. Takes about a second. */
async function makeFiles(
  options: FastifyApiReferenceOptions & { routePrefix: string },
): Promise<ReferenceFiles> {
  const worker = new Worker(new URL(`reference-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: options,
  })
  const [{ html, script }] = (await once(worker, 'message')) as [{ html: string; script: Uint8Array }]
  const gzip = Buffer.from(script.buffer, script.byteOffset, script.byteLength)
  return {
    html,
    script: {
      contentType: 'application/javascript; charset=utf-8',
      tag: tagOf(gzip),
      compressed: new Map([['gzip', gzip]]),
      // 4 MB, for the few clients that take nothing compressed.
      bytes: createOnce(() => promisify(gunzip)(gzip)),
    },
  }
}

/** The files of the reference page, made at the first reading: most processes are never asked for them. */
export function createReferenceFiles(
  options: FastifyApiReferenceOptions & { routePrefix: string },
): () => Promise<ReferenceFiles> {
  return createOnce(() => makeFiles(options))
}
