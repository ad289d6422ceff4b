import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyApiReferenceOptions } from '@scalar/fastify-api-reference'

export interface PackedScript {
  /** As gzip: unpacked it has 4 MB. */
  gzip: Buffer
  etag: string
}

/** What the reference page consists of. */
export interface ReferenceFiles {
  html: string
  script: PackedScript
}

/** Makes the files of the reference page, in a thread that ends with it. Takes about a second. */
async function makeFiles(
  options: FastifyApiReferenceOptions & { routePrefix: string },
): Promise<ReferenceFiles> {
  const worker = new Worker(new URL('reference-worker.ts', import.meta.url), { workerData: options })
  const [{ html, script }] = (await once(worker, 'message')) as [{ html: string; script: Uint8Array }]
  const gzip = Buffer.from(script.buffer, script.byteOffset, script.byteLength)
  return { html, script: { gzip, etag: `"${hash('sha256', gzip, 'base64url').slice(0, 27)}"` } }
}

/** The files of the reference page, made at the first reading: most processes are never asked for them. */
export function createReferenceFiles(
  options: FastifyApiReferenceOptions & { routePrefix: string },
): () => Promise<ReferenceFiles> {
  let files: Promise<ReferenceFiles> | undefined
  return () => {
    files ??= makeFiles(options).catch(error => {
      files = undefined
      throw error
    })
    return files
  }
}
