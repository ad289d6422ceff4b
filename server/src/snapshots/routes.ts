import { Readable } from 'node:stream'
import { type SnapshotManifest, snapshotsPath } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowedMethods } from '../http/admission.ts'
import { basePathOf } from '../http/base-path.ts'
import { createStreamLimiter } from '../http/define-stream.ts'
import { ApiError, notFound } from '../http/http-error.ts'
import { isFresh } from '../http/response-cache.ts'
import { createConcurrencyLimit } from '../store/concurrency-limit.ts'
import type { Database } from '../store/database.ts'
import {
  chunkBytes,
  findSnapshot,
  listSnapshots,
  readChunk,
  type StoredFile,
  type StoredSnapshot,
} from './files.ts'

export interface SnapshotRoutesOptions {
  db: Database
  publicUrl: () => string
}

/** Downloads at a time of one key, and of an address without a key. */
const downloads = { perKey: 5, perAddress: 2, noun: 'download' }

/** Reads of the database at a time, for all downloads: requests need its connections. */
const readsMax = 2

const extension = '.ndjson.gz'

/** Serves snapshots: manifests and files. Requests are identified and limited like those of the API. */
export function registerSnapshots(app: FastifyInstance, { db, publicUrl }: SnapshotRoutesOptions): void {
  const limiter = createStreamLimiter(downloads)
  const withSlot = createConcurrencyLimit(readsMax)

  const manifestOf = ({ id, files, ...rest }: StoredSnapshot): SnapshotManifest => ({
    id,
    ...rest,
    files: files.map(({ resource, ...file }) => ({
      resource,
      path: `${basePathOf(publicUrl())}${snapshotsPath}/${id}/${resource}${extension}`,
      ...file,
    })),
  })

  function sendManifest(req: FastifyRequest, reply: FastifyReply, tag: string, body: object): FastifyReply {
    const etag = `"${tag}"`
    reply.headers({ etag, 'cache-control': 'private, no-cache' })
    if (isFresh(req, [etag])) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
  }

  function route(
    operation: string,
    path: string,
    handler: (
      req: FastifyRequest<{ Params: Record<string, string> }>,
      reply: FastifyReply,
    ) => Promise<FastifyReply>,
  ): void {
    app.route<{ Params: Record<string, string> }>({
      method: app.supportedMethods,
      config: { methods: allowedMethods, operation },
      url: snapshotsPath + path,
      handler,
    })
  }

  route('snapshots.latest', '/latest.json', async (req, reply) => {
    const [latest] = await listSnapshots(db)
    if (!latest)
      throw new ApiError('not_found', 'There is no snapshot yet: the first one is made within minutes.')
    return sendManifest(req, reply, latest.id, manifestOf(latest))
  })

  route('snapshots.list', '/index.json', async (req, reply) => {
    const all = await listSnapshots(db)
    return sendManifest(req, reply, `${all.length}-${all[0]?.id}`, { data: all.map(manifestOf) })
  })

  route('snapshots.file', '/:id/:file', async (req, reply) => {
    const { id = '', file: name = '' } = req.params
    const snapshot = await findSnapshot(db, id)
    const file = snapshot?.files.find(({ resource }) => resource + extension === name)
    if (!file) throw notFound('file of a snapshot')
    const etag = `"${file.sha256}"`
    const isUnchanged = isFresh(req, [etag])
    const ifRange = req.headers['if-range']
    const takesRange = !isUnchanged && (ifRange === undefined || ifRange === etag)
    const range = takesRange ? rangeOf(req.headers.range, file) : undefined
    if (range === 'beyond the end') {
      reply.header('content-range', `bytes */${file.bytes}`)
      throw new ApiError('range_not_satisfiable')
    }
    reply.headers({
      etag,
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      'content-type': 'application/gzip',
    })
    if (isUnchanged) return reply.code(304).send()
    const { first, last } = range ?? { first: 0, last: file.bytes - 1 }
    if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${file.bytes}`)
    reply.header('content-length', last - first + 1)
    if (req.method === 'HEAD') return reply.send()
    const slot = limiter.acquire(req.viewer, req.ip)
    const chunks = chunksOf({ id, resource: file.resource }, first, last, key =>
      withSlot(() => readChunk(db, key)),
    )
    const body = Readable.from(chunks, { objectMode: false, highWaterMark: chunkBytes })
    body.once('close', slot.release)
    return reply.send(body)
  })
}

/** The bytes of one range; undefined for all: also for several ranges, and forms that are not known, as HTTP allows. */
export function rangeOf(
  header: string | undefined,
  { bytes }: Pick<StoredFile, 'bytes'>,
): { first: number; last: number } | 'beyond the end' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined
  const range =
    from === ''
      ? { first: Math.max(0, bytes - Number(to)), last: bytes - 1 }
      : { first: Number(from), last: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) }
  return range.first > range.last ? 'beyond the end' : range
}

async function* chunksOf(
  file: { id: string; resource: string },
  first: number,
  last: number,
  read: (chunk: { id: string; resource: string; number: number }) => Promise<Buffer | undefined>,
): AsyncGenerator<Buffer> {
  for (let start = first; start <= last; ) {
    const number = Math.floor(start / chunkBytes)
    const chunk = await read({ ...file, number })
    // The connection is closed before the end: the client has no whole file.
    if (!chunk) throw new Error('the snapshot was withdrawn during its download')
    const offset = start - number * chunkBytes
    const part = chunk.subarray(offset, offset + last - start + 1)
    yield part
    start += part.length
  }
}
