import type { Outcome } from './outcome.ts'
import type { QueuedBatch } from './queue.ts'

export interface Service {
  /** Address of the operator API. */
  url: string
  token: string
  fetch: typeof globalThis.fetch
}

/** The service did not take the batches. They have to be sent again. */
export class ServiceError extends Error {
  /** Whether the operator has to act: a wrong address or token does not correct itself. */
  readonly isConfiguration: boolean

  constructor(message: string, options: { isConfiguration?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isConfiguration = options.isConfiguration ?? false
  }
}

/** Up to this size a request has a length, so that a response before its end (401) is read. */
const wholeBytesMax = 4_194_304

/**
 * Sends batches in one request, and yields the outcome of each in order as soon as it is known.
 * @throws {ServiceError} if the outcome of the next batch is unknown.
 */
export async function* sendBatches(
  { url, token, fetch }: Service,
  batches: readonly QueuedBatch[],
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  /** How many lines of the request precede each batch. */
  const linesBefore: number[] = []
  const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0)
  const isWhole = bytes <= wholeBytesMax
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    redirect: 'manual',
    signal,
    ...(isWhole
      ? { body: await textOf(batches, linesBefore) }
      : { body: ReadableStream.from(chunksOf(batches, linesBefore)), duplex: 'half' as const }),
  }
  try {
    const response = await fetch(new URL('facts', url.endsWith('/') ? url : `${url}/`), init)
    if (response.status !== 200 || !response.body) throw await responseError(response)
    let next = 0
    for await (const line of linesIn(response.body)) {
      const outcome = parse(line)
      if (outcome.batch !== batches[next]?.id)
        throw new ServiceError(`the service returned the outcome of another batch: ${outcome.batch}`)
      if (outcome.status === 'unavailable')
        throw new ServiceError('the database of the service is unavailable')
      yield inBatch(outcome, linesBefore[next] ?? 0)
      next += 1
    }
    if (next < batches.length)
      throw new ServiceError('the connection ended before all outcomes were received')
  } catch (err) {
    if (err instanceof ServiceError) throw err
    throw new ServiceError(`the service is not reachable (${causeOf(err)})`, { cause: err })
  }
}

/** The outcome with positions in the batch, not in the request. */
const inBatch = ({ refused, ...outcome }: Outcome, linesBefore: number): Outcome => ({
  ...outcome,
  refused: refused.map(({ line, ...rejected }) => ({ line: line && line - linesBefore, ...rejected })),
})

const lineFeed = 10

/** The text of a request. Writes how many lines precede each batch. */
async function* chunksOf(batches: readonly QueuedBatch[], linesBefore: number[]): AsyncGenerator<Uint8Array> {
  let lines = 0
  for (const batch of batches) {
    linesBefore.push(lines)
    for await (const chunk of batch.chunks()) {
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines += 1
      yield chunk
    }
  }
}

async function textOf(batches: readonly QueuedBatch[], linesBefore: number[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of chunksOf(batches, linesBefore)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter(line => line !== '')
  }
  if (rest !== '') yield rest
}

function parse(line: string): Outcome {
  try {
    const outcome = JSON.parse(line) as Outcome
    if (typeof outcome.status === 'string' && Array.isArray(outcome.refused)) return outcome
  } catch {
    // Reported below, without the text.
  }
  throw new ServiceError('the response is not one of the operator API', { isConfiguration: true })
}

async function responseError(response: Response): Promise<ServiceError> {
  const { status } = response
  const message = await response
    .json()
    .then(document => (document as { error?: { message?: unknown } }).error?.message)
    .catch(() => undefined)
  const detail = typeof message === 'string' ? `: ${message}` : ''
  const isPassing = status === 408 || status === 429 || status >= 500
  return new ServiceError(`the service returned status ${status}${detail}`, { isConfiguration: !isPassing })
}

function causeOf(err: unknown): string {
  const { cause = err } = err as { cause?: unknown }
  const { code, message } = cause as { code?: unknown; message?: unknown }
  return String(code ?? message ?? cause)
}
