import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '../served.ts'
import type { Receiver } from './children.ts'
import type { Post } from './messages.ts'

/** A service whose endpoints are in groups, each group hearing of one nation. */
export interface Office {
  service: Served
  receiver: Receiver
  groups: number
  endpointsPerGroup: number
  /** Deliveries under way at one endpoint: the service's default. */
  inFlight: number
}

interface Outcome {
  events: number
  last_seq: number
}

const clockMs = () => performance.timeOrigin + performance.now()
let batches = 0

/** One batch of launches, each nation's in turn: an event that the game sends, about a nation that five endpoints hear of. */
async function launch({ service, groups }: Office, count: number): Promise<Outcome> {
  const facts = Array.from({ length: count }, (_, index) => ({
    op: 'event',
    data: {
      type: 'strategic_weapon.launched',
      occurred_at: new Date().toISOString(),
      data: {
        weapon: 'nuclear_missile',
        attacker_nation_id: `n${index % groups}`,
        defender_nation_id: 'target',
      },
    },
  }))
  batches += 1
  return service.operate('POST', '/facts', { facts }, { 'idempotency-key': `batch-${batches}` })
}

export interface Latency {
  eventsPerSecond: number
  deliveries: number
  missing: number
  repeated: number
  medianMs: number
  p99Ms: number
  mostMs: number
  /** Messages as they were received, for the bare loop. */
  kept: Post[]
}

/** Events at a steady rate: how long each takes from its acknowledgement to each receipt. */
export async function steady(
  office: Office,
  { eventsPerSecond, seconds }: { eventsPerSecond: number; seconds: number },
): Promise<Latency> {
  const { receiver, groups, endpointsPerGroup } = office
  await receiver.ask('take')
  const acknowledgedMs = new Map<number, number>()
  const everyMs = (groups / eventsPerSecond) * 1000
  const startedMs = performance.now()
  const running: Promise<void>[] = []
  for (let turn = 0; turn * everyMs < seconds * 1000; turn += 1) {
    await sleep(Math.max(0, startedMs + turn * everyMs - performance.now()))
    running.push(
      launch(office, groups).then(({ last_seq, events }) => {
        const atMs = clockMs()
        for (let seq = last_seq - events + 1; seq <= last_seq; seq += 1) acknowledgedMs.set(seq, atMs)
      }),
    )
  }
  await Promise.all(running)
  const expected = acknowledgedMs.size * endpointsPerGroup
  await untilCount(receiver, expected)
  const { arrivals, kept } = await receiver.ask('take')
  const waits = arrivals
    .map(([seq, , atMs]) => Math.max(0, atMs - (acknowledgedMs.get(seq) ?? Number.NaN)))
    .sort((one, other) => one - other)
  const pairs = new Set(arrivals.map(([seq, endpoint]) => `${seq} ${endpoint}`)).size
  const at = (share: number) =>
    Number((waits[Math.floor((waits.length - 1) * share)] ?? Number.NaN).toFixed(1))
  return {
    eventsPerSecond: Math.round(acknowledgedMs.size / seconds),
    deliveries: arrivals.length,
    missing: expected - pairs,
    repeated: arrivals.length - pairs,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    mostMs: at(1),
    kept,
  }
}

/** Events of one batch: deliveries a second from its acknowledgement to the last receipt. */
export async function burst(office: Office, events: number): Promise<number> {
  const { receiver, endpointsPerGroup } = office
  await launch(office, events)
  const acknowledgedMs = clockMs()
  await untilCount(receiver, events * endpointsPerGroup)
  const { count, lastMs } = await receiver.ask('take')
  return count / ((lastMs - acknowledgedMs) / 1000)
}

async function untilCount(receiver: Receiver, wanted: number): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { count } = await receiver.ask('look')
    if (count >= wanted) return
    if (performance.now() > deadline) throw new Error(`only ${count} of ${wanted} messages arrived`)
    await sleep(100)
  }
}
