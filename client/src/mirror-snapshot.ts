import type { Clock } from './clock.ts'
import { ChanceryError, invalidResponse } from './errors.ts'
import { type MirrorRow, rowOf } from './mirror-row.ts'
import type { MirroredResource } from './mirrored.ts'
import { parseError } from './response.ts'
import type { Transport } from './transport.ts'

/** A snapshot of the world, as its manifest describes it. Other members are not used. */
export interface Snapshot {
  id: string
  change_seq: number
  files: SnapshotFile[]
}

export interface SnapshotFile {
  resource: string
  /** On the origin of the service. */
  path: string
  bytes: number
  /** In hexadecimal digits. */
  sha256: string
  rows: number
}

/** There is no usable snapshot at present: none yet, it was withdrawn, or it is too old. Another one is made soon. */
export class NoSnapshotError extends ChanceryError {
  override name = 'NoSnapshotError'
}
export const noSnapshot = (message: string): NoSnapshotError =>
  new NoSnapshotError(message, { code: 'not_found', status: 404 })

export interface SnapshotDependencies {
  transport: Transport
  clock: Clock
}

const idleTimeoutMs = 30_000
/** Lines that become rows at once. */
const rowsAtOnce = 500
/** A line that is longer is no item. */
const lineLengthMax = 16_000_000

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isFile = (value: Partial<SnapshotFile> | null): value is SnapshotFile =>
  [value?.resource, value?.path, value?.sha256].every(isText) && [value?.bytes, value?.rows].every(isCount)

/** Reads the manifest of the newest snapshot. */
export async function newestSnapshot(
  parts: SnapshotDependencies,
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  const path = '/downloads/world/latest.json'
  const url = parts.transport.base.replace(/\/api\/(public\/)?v1$/, '') + path
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of download(parts, url, path, signal)) text += decoder.decode(part, { stream: true })
  let manifest: Partial<Snapshot> | undefined
  try {
    manifest = JSON.parse(text)
  } catch {}
  const { id, change_seq, files } = manifest ?? {}
  if (!isText(id) || !isCount(change_seq) || !Array.isArray(files) || !files.every(isFile))
    throw invalidResponse(`${path} is not the manifest of a snapshot.`)
  return { id, change_seq, files }
}

/** The rows of a file. Ends with an error if it has another SHA-256, or another number of rows, than the manifest states. */
export async function* snapshotRows(
  parts: SnapshotDependencies,
  resource: MirroredResource,
  { path, bytes, sha256, rows: expected }: SnapshotFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<MirrorRow[]> {
  const { origin } = new URL(parts.transport.base)
  const url = new URL(path, origin)
  // The key must not be sent to another host.
  if (url.origin !== origin) throw invalidResponse(`A file of the snapshot has another origin: ${path}`)
  const hash = createHash()
  let received = 0
  async function* compressed() {
    for await (const part of download(parts, url.href, '/downloads/world/{file}', signal)) {
      received += part.length
      if (received > bytes) throw incomplete(path)
      hash.update(part)
      yield part
    }
  }
  let count = 0
  let some: MirrorRow[] = []
  for await (const line of linesOf(gunzip(compressed()), path)) {
    try {
      some.push(rowOf(resource, line))
    } catch (error) {
      throw incomplete(path, error)
    }
    count += 1
    if (some.length < rowsAtOnce) continue
    yield some
    some = []
  }
  yield some
  if (hash.digest('hex') !== sha256 || count !== expected) throw incomplete(path)
}

const incomplete = (path: string, cause?: unknown) =>
  new ChanceryError(`The download of ${path} is incomplete or damaged.`, { code: 'network_error', cause })

/** The parts of a body. It has no time limit as long as data arrives. */
async function* download(
  { transport, clock }: SnapshotDependencies,
  url: string,
  template: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const connection = new AbortController()
  const onAbort = () => connection.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  let stopTimer = () => {}
  const restartTimer = () => {
    stopTimer()
    stopTimer = clock.after(idleTimeoutMs, () => connection.abort())
  }
  try {
    const response = await transport.open({
      url,
      template,
      accept: '*/*',
      signal: connection.signal,
      onSent: restartTimer,
    })
    const { status, headers, body } = response
    if (status !== 200 || !body) {
      const error = parseError({ status, headers, text: await response.text() })
      throw status === 404 ? noSnapshot('There is no snapshot of the world yet, or it was withdrawn.') : error
    }
    const reader = body.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      stopTimer()
      if (done) return
      yield value
      restartTimer()
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof ChanceryError ? error : incomplete(template, error)
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', onAbort)
    connection.abort()
  }
}

/** Decompresses parts as they arrive. */
async function* gunzip(parts: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value as Uint8Array<ArrayBuffer>)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
  const reader = source.pipeThrough(new DecompressionStream('gzip')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function* linesOf(parts: AsyncGenerator<Uint8Array>, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  try {
    for await (const part of parts) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > lineLengthMax) throw incomplete(path)
      for (const line of lines) if (line !== '') yield line
    }
    rest += decoder.decode()
  } catch (error) {
    // The errors of damaged data differ between runtimes.
    throw error instanceof ChanceryError ? error : incomplete(path, error)
  }
  if (rest !== '') yield rest
}

interface Hash {
  update(part: Uint8Array): unknown
  digest(encoding: 'hex'): string
}

/** SHA-256 of parts, which Web Crypto cannot do. A runtime with SQLite has this module too. */
function createHash(): Hash {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { createHash(algorithm: string): Hash } }
  }
  const crypto = process?.getBuiltinModule?.('node:crypto')
  if (!crypto) throw new Error('mirror needs node:crypto, which this runtime does not have.')
  return crypto.createHash('sha256')
}
