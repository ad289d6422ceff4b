import type { ClientRequest, IncomingMessage } from 'node:http'
import { CommandError } from '../command-error.ts'
import {
  explainSilence,
  isSuccess,
  type OperatorDoor,
  refusalOf,
  responseTo,
  ServiceSilent,
} from './operator-door.ts'
import { type Outcome, readOutcome } from './outcome.ts'

export type FactsSource = AsyncIterable<Uint8Array | string>

export interface FactsStreamOptions {
  /** Store nothing. */
  isCheck?: boolean
  /** false: what is refused is not kept for the operator. */
  isKept?: boolean
  /** Ends the stream early; the iteration throws its reason. */
  signal?: AbortSignal
}

/**
 * Sends NDJSON facts and yields what became of each batch while the rest is still being sent.
 * Reads `source` no faster than the service takes it. No time limit: a batch may take long.
 * Throws a CommandError for a refused call and a cut connection, and what the source throws.
 */
export async function* sendFacts(
  door: OperatorDoor,
  source: FactsSource,
  { isCheck = false, isKept = true, signal }: FactsStreamOptions = {},
): AsyncGenerator<Outcome> {
  signal?.throwIfAborted()
  const query = isCheck ? '?check=true' : isKept ? '' : '?keep=false'
  const req = door.open('POST', `/facts${query}`, {
    'content-type': 'application/x-ndjson',
  })
  const abort = () => req.destroy()
  signal?.addEventListener('abort', abort)
  const answer = responseTo(req)
  const sending = send(source, req)
  let batches = 0
  try {
    const res = await answer
    if (!isSuccess(res)) throw await refusalOf(res)
    for await (const line of linesIn(res)) {
      yield readOutcome(line)
      batches++
    }
    if (!req.writableEnded) throw connectionCut()
  } catch (err) {
    signal?.throwIfAborted()
    if (sending.failure !== undefined) throw sending.failure
    throw err instanceof CommandError ? err : withAdvice(explainSilence(err, door.url), batches)
  } finally {
    signal?.removeEventListener('abort', abort)
    req.destroy()
  }
}

/** Sends by itself: whoever reads the answers learns of a cut there, and of a failure of the source here. */
function send(source: FactsSource, req: ClientRequest): { failure: unknown } {
  const sending: { failure: unknown } = { failure: undefined }
  async function run() {
    for await (const chunk of source) {
      if (req.destroyed) return
      if (!req.write(chunk)) await drained(req)
    }
    req.end()
  }
  run().catch(err => {
    sending.failure = err
    req.destroy()
  })
  return sending
}

function drained(req: ClientRequest): Promise<void> {
  return new Promise(resolve => {
    if (req.destroyed) return resolve()
    const done = () => {
      req.off('drain', done)
      req.off('close', done)
      resolve()
    }
    req.on('drain', done)
    req.on('close', done)
  })
}

async function* linesIn(res: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  res.setEncoding('utf8')
  for await (const chunk of res) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter(line => line !== '')
  }
  if (rest !== '') yield rest
}

const connectionCut = () => Object.assign(new Error('closed early'), { code: 'ECONNRESET' })

function withAdvice(err: unknown, batches: number): unknown {
  if (!(err instanceof ServiceSilent)) return err
  const applied = batches === 1 ? '1 batch was' : `${batches} batches were`
  return new ServiceSilent(
    `${err.message}; ${applied} answered before: send the same again, nothing is applied twice`,
  )
}
