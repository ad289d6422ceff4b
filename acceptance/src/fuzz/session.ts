import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport, type Exchange, type SentRequest } from '../exchange.ts'
import type { Caller } from './callers.ts'
import { type Checker, createChecker } from './checker.ts'
import type { Api, Operation } from './document.ts'
import type { KnownValues } from './known-values.ts'
import { hasEnoughEvents, responseProblems } from './response-problems.ts'

/** A call as it goes out. */
export interface Call {
  method: string
  /** Below the origin. */
  target: string
  caller: Caller
  headers?: Record<string, string>
  body?: string
}

/** A deviation from the document, and the call that shows it. */
export class ProbeError extends Error {
  readonly problems: readonly string[]
  readonly call: Call
  constructor(problems: readonly string[], call: Call) {
    super(problems.join('\n'))
    this.problems = problems
    this.call = call
  }
}

/** What probes work with: one API, examined. */
export interface Session {
  api: Api
  checker: Checker
  values: KnownValues
  callers: readonly Caller[]
  /** Whether the world changes only by our own requests. */
  isFrozen: boolean
  send(call: Call): Promise<Exchange>
  /** Sends a call of an operation. Throws a ProbeError if the response is not as documented. */
  request(operation: Operation, call: Call): Promise<Exchange>
  /** Responses in all, and by operation and status. */
  count: number
  statusCounts: Map<string, Map<number, number>>
}

/** A busy server may respond 503 with Retry-After; after this many attempts it has failed. */
const attemptsMax = 5

export type SessionParts = Pick<Session, 'api' | 'values' | 'callers' | 'isFrozen'>

/** Calls go out over kept connections; `close` ends them. */
export function openSession(parts: SessionParts): Session & { close(): void } {
  const transport = createTransport()
  const checker = createChecker(parts.api.document)
  const session: Session & { close(): void } = {
    ...parts,
    checker,
    count: 0,
    statusCounts: new Map(),
    async send(call) {
      for (let attempt = 1; ; attempt += 1) {
        const exchange = await transport.send(requestOf(parts.api.origin, call), hasEnoughEvents)
        session.count += 1
        const seconds = Number(exchange.responseHeaders['retry-after'])
        if (exchange.status !== 503 || !(seconds > 0) || attempt === attemptsMax) return exchange
        await sleep(seconds * 1000)
      }
    },
    async request(operation, call) {
      const exchange = await session.send(call)
      const statuses = session.statusCounts.get(operation.id) ?? new Map<number, number>()
      session.statusCounts.set(
        operation.id,
        statuses.set(exchange.status, (statuses.get(exchange.status) ?? 0) + 1),
      )
      const problems = responseProblems(checker, operation, exchange)
      if (problems.length > 0) throw new ProbeError(problems, call)
      return exchange
    },
    close: transport.close,
  }
  return session
}

const requestOf = (origin: string, { method, target, caller, headers = {}, body }: Call): SentRequest => ({
  method,
  url: origin + target,
  headers: {
    // Node omits the length of an unexpected body, which would then be parsed as the next request.
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...(caller.authorization === undefined ? {} : { authorization: caller.authorization }),
    ...headers,
  },
  ...(body === undefined ? {} : { body }),
})

const shownMax = 1_500
const shortened = (text: string) =>
  text.length > shownMax ? `${text.slice(0, shownMax)}… (${text.length} characters)` : text

/** A call as a curl command. Keys are named, never shown. */
export function asCurl(origin: string, { method, target, caller, headers = {}, body }: Call): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const given = caller.kind === 'known' ? `Bearer $${caller.name}` : `<${caller.name}>`
  return [
    'curl -i --path-as-is',
    method === 'HEAD' ? '--head' : method === 'GET' ? '' : `-X ${method}`,
    quote(shortened(origin + target)),
    caller.authorization === undefined ? '' : `-H "Authorization: ${given}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    body === undefined ? '' : `--data-binary ${quote(shortened(body))}`,
  ]
    .filter(Boolean)
    .join(' ')
}
