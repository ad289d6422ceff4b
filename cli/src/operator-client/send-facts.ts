import { randomUUID } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BatchOutcome, operatorOperations, outcomeSchema, rejectionText } from '@chancery/contract'
import { CommandError } from '../command-error.ts'
import {
  explainConnectionError,
  isSuccess,
  type OperatorClient,
  parseAs,
  responseError,
  responseTo,
  ServiceUnavailableError,
} from './operator-client.ts'

export type FactsSource = AsyncIterable<Uint8Array | string>

export interface SendFactsOptions {
  /** Validate the facts and store nothing. */
  isCheck?: boolean
  /** false: a rejected batch is not kept in the dead-letter store. */
  isKept?: boolean
  /** Applies batches without the facts that do not fit, which the service stores until they do. */
  setsAside?: boolean
  /** Ends the stream early; the iteration throws its reason. */
  signal?: AbortSignal
}

/**
 * Sends NDJSON facts and yields the outcome of each batch while the rest is still being sent.
 * Reads `source` no faster than the service accepts it. Without a time limit: a batch may take long.
 * Throws a CommandError for an error response and a lost connection, and the errors of the source.
 */
export async function* sendFacts(
  client: OperatorClient,
  source: FactsSource,
  { isCheck = false, isKept = true, setsAside = false, signal }: SendFactsOptions = {},
): AsyncGenerator<BatchOutcome> {
  signal?.throwIfAborted()
  const query = [
    ...(isCheck ? ['check=true'] : isKept ? [] : ['keep=false']),
    ...(setsAside ? ['refused=set_aside'] : []),
  ]
  const req = client.open('POST', query.length > 0 ? `/facts?${query.join('&')}` : '/facts', {
    'content-type': 'application/x-ndjson',
  })
  const abort = () => req.destroy()
  signal?.addEventListener('abort', abort)
  const response = responseTo(req)
  const sending = send(source, req)
  let batches = 0
  try {
    const res = await response
    if (!isSuccess(res)) throw await responseError(res)
    for await (const line of linesIn(res)) {
      yield await parseAs(outcomeSchema, parseLine(line), operatorOperations.factsSend.id)
      batches++
    }
    if (!req.writableEnded) throw connectionCut()
  } catch (err) {
    signal?.throwIfAborted()
    if (sending.failure !== undefined) throw sending.failure
    throw err instanceof CommandError ? err : withAdvice(explainConnectionError(err, client.url), batches)
  } finally {
    signal?.removeEventListener('abort', abort)
    req.destroy()
  }
}

/** Sends in the background: a lost connection shows in the response, a failure of the source here. */
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

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new CommandError(
      `unexpected response to ${operatorOperations.factsSend.id}: a line is not JSON. Do the service and this command have the same version?`,
    )
  }
}

const connectionCut = () => Object.assign(new Error('closed early'), { code: 'ECONNRESET' })

function withAdvice(err: unknown, batches: number): unknown {
  if (!(err instanceof ServiceUnavailableError)) return err
  const processed = batches === 1 ? '1 batch was' : `${batches} batches were`
  return new ServiceUnavailableError(
    `${err.message}; ${processed} processed before: send the same again, nothing is applied twice`,
  )
}

/**
 * Sends facts as one batch whose id begins with `name`. Throws a CommandError if it is not applied; the rejected batch is not kept,
 * because the error states the reason.
 */
export async function sendBatch(
  client: OperatorClient,
  name: string,
  facts: readonly object[],
): Promise<BatchOutcome> {
  const commit = { op: 'commit', batch: `${name}-${randomUUID()}` }
  const lines = [...facts, commit].map(fact => `${JSON.stringify(fact)}\n`)
  for await (const outcome of sendFacts(client, textSource(lines.join('')), { isKept: false })) {
    if (outcome.status === 'applied') return outcome
    throw new CommandError(
      outcome.refused.length > 0
        ? `nothing was changed: ${outcome.refused.map(rejectionText).join('; ')}`
        : `nothing was changed: the batch is ${outcome.status}; try again`,
    )
  }
  throw new CommandError(
    'the service returned no outcome of the batch: check the current state, and try again',
  )
}

async function* textSource(text: string): AsyncGenerator<string> {
  yield text
}

const rankingTimeoutMs = 5_000
const pollMs = 100

/** Waits until lists show the present world: ranking rounds run at most once a second. false if they still lag behind. */
export async function waitUntilRanked(client: OperatorClient): Promise<boolean> {
  const deadline = performance.now() + rankingTimeoutMs
  let wanted: number | undefined
  for (;;) {
    const status = await client.call(operatorOperations.statusGet)
    // Later changes of the world are not waited for.
    wanted ??= Number(status.world_version)
    if (Number(status.ranked_version) >= wanted) return true
    if (performance.now() > deadline) return false
    await sleep(pollMs)
  }
}
