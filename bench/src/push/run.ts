/**
 * `bench push`: webhook deliveries a second beside a bare loop that posts the same signed bodies; the latency from the acknowledgement
 * of a batch to each receipt, at 200 events a second for 5 of 50 endpoints each; and the same beside 1,000 slow endpoints.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, rounded } from '../machine.ts'
import { type Child, type Service, startChild, startService } from '../servers.ts'
import { nationFacts } from '../world.ts'
import { type ChildRequest, type Message, type ReceiverReport, slowPath } from './child.ts'

/** Groups of endpoints, each subscribed to one nation. */
const groups = 10
const endpointsPerGroup = 5
/** Concurrent deliveries to an endpoint: the service's default. */
const inFlight = 8

interface PushOptions {
  rounds: number
  burstEvents: number
  steadySeconds: number
  slowEndpoints: number
  slowSeconds: number
}

export const fullPush: PushOptions = {
  rounds: 3,
  burstEvents: 6_000,
  steadySeconds: 20,
  slowEndpoints: 1_000,
  slowSeconds: 90,
}
export const quickPush: PushOptions = {
  rounds: 1,
  burstEvents: 200,
  steadySeconds: 2,
  slowEndpoints: 20,
  slowSeconds: 2,
}

interface Latency {
  eventsPerSecond: number
  deliveries: number
  missing: number
  repeated: number
  medianMs: number
  p99Ms: number
  maxMs: number
}

export interface PushResults {
  throughput: { chancery: number; bare: number; ratio: number }[]
  latency: Latency
  besideSlow: Latency
}

export async function measurePush(options: PushOptions): Promise<PushResults> {
  const file = new URL('child.ts', import.meta.url)
  const receiver = await startChild(file, { role: 'receiver' })
  const sender = await startChild(file, { role: 'sender' })
  const service = await startService({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  const bench = { service, receiver }
  await addEndpoints(bench)
  const { messages, ...latency } = await deliverSteadily(bench, 200, options.steadySeconds)
  const throughput: PushResults['throughput'] = []
  for (let round = 0; round < options.rounds; round += 1) {
    const bare = await sender.request<{ perSecond: number }>({
      kind: 'post',
      url: `${receiver.url}/bare`,
      messages,
      count: options.burstEvents * endpointsPerGroup,
      concurrency: groups * endpointsPerGroup * inFlight,
    } satisfies ChildRequest)
    await report(receiver, 'reset')
    const perSecond = await deliverBurst(bench, options.burstEvents)
    throughput.push({
      chancery: Math.round(perSecond),
      bare: Math.round(bare.perSecond),
      ratio: rounded(perSecond / bare.perSecond, 3),
    })
  }
  await addSlowEndpoints(bench, options.slowEndpoints)
  const { messages: _messages, ...besideSlow } = await deliverSteadily(bench, 20, options.slowSeconds)
  return { throughput, latency, besideSlow }
}

interface Bench {
  service: Service
  receiver: Child
}

const report = (receiver: Child, kind: 'report' | 'reset') =>
  receiver.request<ReceiverReport>({ kind } satisfies ChildRequest)

const addEndpoint = ({ service, receiver }: Bench, player_id: string, path: string, nation: string) =>
  service.operate('POST', '/webhooks', {
    player_id,
    url: `${receiver.url}${path}`,
    types: ['strategic_weapon.*'],
    nation_ids: [nation],
  })

async function addEndpoints(bench: Bench): Promise<void> {
  const ids = ['target', ...Array.from({ length: groups }, (_, group) => `n${group}`)]
  await bench.service.ingest('nations', nationFacts(ids))
  for (let group = 0; group < groups; group += 1)
    for (let one = 0; one < endpointsPerGroup; one += 1)
      await addEndpoint(bench, `p${group}`, `/${group}-${one}`, `n${group}`)
}

/** Ten to a player, subscribed to a tenth of the events. */
async function addSlowEndpoints(bench: Bench, count: number): Promise<void> {
  for (let player = 0; player < count / 10; player += 1)
    await Promise.all(
      Array.from({ length: 10 }, (_, one) =>
        addEndpoint(bench, `slow${player}`, `${slowPath}${player}-${one}`, 'n0'),
      ),
    )
}

let batches = 0

/** One batch of launches, by each nation in turn. */
function launch({ service }: Bench, count: number) {
  batches += 1
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
  return service.ingest(`launches-${batches}`, facts)
}

const clockMs = () => performance.timeOrigin + performance.now()

/** Events at a steady rate: the time from each acknowledgement to each receipt. */
async function deliverSteadily(
  bench: Bench,
  eventsPerSecond: number,
  seconds: number,
): Promise<Latency & { messages: Message[] }> {
  await report(bench.receiver, 'reset')
  const acknowledgedMs = new Map<number, number>()
  const everyMs = (groups / eventsPerSecond) * 1000
  const startedMs = performance.now()
  const running: Promise<void>[] = []
  for (let turn = 0; turn * everyMs < seconds * 1000; turn += 1) {
    await sleep(Math.max(0, startedMs + turn * everyMs - performance.now()))
    running.push(
      launch(bench, groups).then(({ last_seq, events }) => {
        const atMs = clockMs()
        for (let seq = last_seq - events + 1; seq <= last_seq; seq += 1) acknowledgedMs.set(seq, atMs)
      }),
    )
  }
  await Promise.all(running)
  const expected = acknowledgedMs.size * endpointsPerGroup
  await untilReceived(bench.receiver, expected)
  const { arrivals, messages } = await report(bench.receiver, 'reset')
  const waits = arrivals.map(([seq, , atMs]) => Math.max(0, atMs - (acknowledgedMs.get(seq) ?? Number.NaN)))
  const distinct = new Set(arrivals.map(([seq, endpoint]) => `${seq} ${endpoint}`)).size
  return {
    eventsPerSecond: Math.round(acknowledgedMs.size / seconds),
    deliveries: arrivals.length,
    missing: expected - distinct,
    repeated: arrivals.length - distinct,
    medianMs: rounded(quantile(waits, 0.5), 1),
    p99Ms: rounded(quantile(waits, 0.99), 1),
    maxMs: rounded(quantile(waits, 1), 1),
    messages,
  }
}

/** Events of one batch: deliveries a second from its acknowledgement to the last receipt. */
async function deliverBurst(bench: Bench, events: number): Promise<number> {
  await launch(bench, events)
  const acknowledgedMs = clockMs()
  await untilReceived(bench.receiver, events * endpointsPerGroup)
  const { count, lastMs } = await report(bench.receiver, 'reset')
  return count / ((lastMs - acknowledgedMs) / 1000)
}

async function untilReceived(receiver: Child, wanted: number): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const { count } = await report(receiver, 'report')
    if (count >= wanted) return
    if (performance.now() > deadline) throw new Error(`only ${count} of ${wanted} messages arrived`)
    await sleep(100)
  }
}
