import { Agent } from 'node:http'
import { openStream } from '../events/stream-reader.ts'
import { nation } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'
import { CallError, call } from './call.ts'
import { type ServerGroup, startServerGroup } from './server-group.ts'
import { createStalenessCheck } from './staleness.ts'

/** The results of callers while all processes are replaced, one after the other. */
export interface Seen {
  /** Requests with the expected response. */
  calls: number
  batches: number
  /** Failed requests and wrong responses, without retries. */
  failures: string[]
  /** How long the oldest response had been outdated, in milliseconds. */
  oldestMs: number
  /** Opened streams, reconnections included. */
  streams: number
  /** Expected webhook messages, and repeated ones. */
  messages: number
  repeated: number
}

export interface Rolling {
  size: number
  /** How often each is replaced. */
  rounds: number
  env: Record<string, string>
}

const keepingCallers = 6
const newCallers = 4
const readers = 3
/** On average, so that requests come at all moments without overloading two processors. */
const callPauseMs = 25
const pauseMs = 5
const turnMs = 50

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/**
 * Replaces all processes of a group under continuous requests over kept and new connections, batches, streams and webhooks. No client
 * retries.
 */
export async function rollingRestart({ size, rounds, env }: Rolling): Promise<Seen> {
  const receiver = await startWebhookReceiver()
  const group = await startServerGroup(size, { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', ...env })
  const seen: Seen = {
    calls: 0,
    batches: 0,
    failures: [],
    oldestMs: 0,
    streams: 0,
    messages: 0,
    repeated: 0,
  }
  const drainMs = Number(env.CHANCERY_DRAIN_SECONDS) * 1_000
  const staleness = createStalenessCheck()
  let isOver = false
  let turn = 0
  let firstSeq = 0
  let lastSeq = 0
  const pick = turnBy(group, env.CHANCERY_SHARE_PORTS === 'true')

  async function ingest(agent?: Agent): Promise<void> {
    const { status, body } = await operate(pick().operatorUrl, '/facts', {
      body: { facts: [nation('n0', { motto: `turn ${turn}` }), nation(`new${turn}`)] },
      headers: { 'idempotency-key': `turn-${turn}` },
      ...(agent ? { agent } : {}),
    })
    if (status !== 200) throw new Error(`a batch got ${status} ${body}`)
    lastSeq = (JSON.parse(body) as { last_seq: number }).last_seq
    if (turn === 0) firstSeq = lastSeq
    else staleness.acknowledge()
    turn += 1
  }

  /**
   * A kept connection that is idle during the whole drain is closed at its end, perhaps under a request. Clients send that request again,
   * over another connection.
   */
  const wasIdleDuringDrain = (error: Error) =>
    error instanceof CallError && error.code === 'ECONNRESET' && error.idleMs >= drainMs

  /** Repeats a step until the end, and records its failures. */
  async function keepOn(step: () => Promise<void>, everyMs: number): Promise<void> {
    while (!isOver) {
      await step().catch((error: Error) => {
        if (!wasIdleDuringDrain(error)) seen.failures.push(error.message)
      })
      await pause(2 * everyMs * Math.random())
    }
  }

  async function look(agent?: Agent): Promise<void> {
    const sentAt = performance.now()
    const url = `${pick().url}/api/v1/nations/n0`
    const { status, body } = await call(url, agent ? { agent } : {})
    if (status !== 200) throw new Error(`a request got ${status} ${body}`)
    const { motto } = (JSON.parse(body) as { data: { motto: string } }).data
    const problem = staleness.check(Number(motto.slice('turn '.length)), sentAt)
    if (problem) throw new Error(problem)
    seen.calls += 1
  }

  /** Follows the log over all restarts, and checks that each event comes once, without a gap. */
  async function follow(): Promise<void> {
    let position = firstSeq
    while (!isOver || position < lastSeq) {
      const headers = { 'last-event-id': String(position) }
      const reader = await openStream(`${pick().url}/api/v1/events/stream`, { headers })
      seen.streams += 1
      if (reader.status === 503) continue
      if (reader.status !== 200) throw new Error(`a stream got ${reader.status}`)
      let isLast = false
      const { isWhole } = await Promise.race([
        reader.ended,
        untilOver(() => isOver && (reader.seqs().at(-1) ?? position) === lastSeq, reader.ended).then(() => {
          isLast = true
          return { isWhole: true }
        }),
      ])
      if (isLast) reader.close()
      if (!isWhole) throw new Error('a stream broke off')
      for (const seq of reader.seqs()) {
        if (seq !== position + 1) throw new Error(`after ${position} a stream sent ${seq}`)
        position = seq
      }
    }
  }

  try {
    await ingest()
    await operate(pick().operatorUrl, '/webhooks', {
      body: { player_id: 'p1', url: receiver.url('/'), types: ['nation.founded'] },
    })
    const kept = Array.from(
      { length: keepingCallers + 1 },
      () => new Agent({ keepAlive: true, maxSockets: 1 }),
    )
    const [writer, ...callers] = kept
    const working = [
      ...callers.map(agent => keepOn(() => look(agent), callPauseMs)),
      ...Array.from({ length: newCallers }, () => keepOn(() => look(), callPauseMs)),
      // Over a kept and a new connection in turn.
      keepOn(() => ingest(turn % 2 === 0 ? writer : undefined), turnMs),
      ...Array.from({ length: readers }, () =>
        follow().catch(error => void seen.failures.push(`stream: ${error.message}`)),
      ),
    ]
    for (let count = 0; count < size * rounds; count += 1) await group.replaceOldest()
    isOver = true
    await Promise.all(working)
    for (const agent of kept) agent.destroy()

    const arrived = () => receiver.eventsAt('/').map(({ id }) => id)
    const wanted = turn - 1
    await until(() => new Set(arrived()).size >= wanted, `${wanted} messages come`, 240_000)
    return {
      ...seen,
      batches: turn,
      oldestMs: Math.round(staleness.oldestMs()),
      messages: wanted,
      repeated: arrived().length - wanted,
    }
  } finally {
    isOver = true
    await group.close()
    await receiver.close()
  }
}

/** Resolves when a condition is true; never, if the stream has ended before. */
async function untilOver(holds: () => boolean, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!holds()) {
    await pause(pauseMs)
    if (hasEnded) return new Promise(() => {})
  }
}

/** The ready processes in turn, as from a proxy. If they share a port, the system chooses. */
function turnBy(group: ServerGroup, isShared: boolean): () => { url: string; operatorUrl: string } {
  let next = 0
  const [first] = group.members
  return () => {
    if (isShared && first) return first
    const ready = group.ready()
    // On a busy machine no readiness check may succeed. The youngest process is never closing.
    const member = ready[next++ % ready.length] ?? group.members.at(-1)
    if (!member) throw new Error('no process is running')
    return member
  }
}

const operate = (
  url: string,
  path: string,
  { body, headers = {}, agent }: { body: object; headers?: Record<string, string>; agent?: Agent },
) =>
  call(url + path, {
    method: 'POST',
    headers: {
      authorization: 'Bearer operator-token-of-a-test',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
    ...(agent ? { agent } : {}),
  })
