/**
 * `bench push`: webhook deliveries a second compared with wrk, which posts the same signed messages to the same receiver; the latency from the
 * acknowledgement of a batch to each receipt, at 200 events a second for 5 of 50 endpoints each; and the same beside 1,000 slow endpoints.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRequest, runWrk } from './load.ts'
import { quantile, rounded } from './machine.ts'
import { register, type Service, startService } from './servers.ts'
import { nationFacts } from './world.ts'

/** Groups of endpoints, each subscribed to one nation. */
const groups = 10
const endpointsPerGroup = 5
/** Concurrent deliveries to an endpoint: the service's default. */
const inFlight = 8

interface Arrival {
  seq: number
  endpoint: string
  atMs: number
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Endpoints below it respond after 14 s, just within the timeout of an attempt, except to test events. */
const slowPath = '/slow/'
const slowMs = 14_000
/** Where wrk posts. */
const barePath = '/bare'
const messagesMax = 2_000
const receiptMsMax = 120_000

/** A webhook receiver in this process, which is idle meanwhile. */
async function startReceiver() {
  const arrivals: Arrival[] = []
  /** Some messages, as requests that send them to the same server again. */
  const messages: BenchRequest[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      const atMs = performance.now()
      const { url: endpoint = '', headers } = req
      const id = String(headers['webhook-id'])
      const isTest = id.startsWith('evt_test_')
      const isSlow = !isTest && endpoint.startsWith(slowPath)
      if (isSlow) return setTimeout(() => res.writeHead(204).end(), slowMs)
      res.writeHead(204).end()
      if (isTest || endpoint === barePath) return
      arrivals.push({ seq: Number(id.slice('evt_'.length)), endpoint, atMs })
      if (messages.length >= messagesMax) return
      const names = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
      messages.push({
        path: barePath,
        headers: Object.fromEntries(names.map(name => [name, String(headers[name])])),
        body: Buffer.concat(chunks).toString(),
      })
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return register({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    /** Resolves with what arrived since the last time, when it is `count`; without slow endpoints. */
    async untilReceived(count: number) {
      const deadline = performance.now() + receiptMsMax
      while (arrivals.length < count) {
        if (performance.now() > deadline)
          throw new Error(`only ${arrivals.length} of ${count} messages arrived`)
        await sleep(20)
      }
      return arrivals.splice(0)
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  })
}

export async function measurePush({ quick }: { quick: boolean }): Promise<object> {
  const [rounds, burstEvents, steadySeconds] = quick ? [1, 200, 2] : [3, 6_000, 20]
  const [slowEndpoints, slowSeconds] = quick ? [20, 2] : [1_000, 90]
  const receiver = await startReceiver()
  const service = await startService({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
  const bench = { service, receiver }
  const nations = Array.from({ length: groups }, (_, group) => `n${group}`)
  await service.ingest('nations', nationFacts(['target', ...nations]))
  for (const [group, nation] of nations.entries())
    for (let one = 0; one < endpointsPerGroup; one += 1)
      await addEndpoint(bench, `p${group}`, `/${group}-${one}`, nation)
  const latency = await deliverSteadily(bench, 200, steadySeconds)
  const throughput: object[] = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = await runWrk({
      url: receiver.url,
      requests: receiver.messages,
      connections: groups * endpointsPerGroup * inFlight,
      seconds: 4,
    })
    const perSecond = await deliverBurst(bench, burstEvents)
    throughput.push({
      chancery: Math.round(perSecond),
      bare: Math.round(bare.perSecond),
      ratio: rounded(perSecond / bare.perSecond, 3),
    })
  }
  // Ten to a player, subscribed to a tenth of the events.
  for (let player = 0; player < slowEndpoints / 10; player += 1)
    await Promise.all(
      Array.from({ length: 10 }, (_, one) =>
        addEndpoint(bench, `slow${player}`, `${slowPath}${player}-${one}`, 'n0'),
      ),
    )
  return { throughput, latency, besideSlow: await deliverSteadily(bench, 20, slowSeconds) }
}

interface Bench {
  service: Service
  receiver: Receiver
}

const addEndpoint = ({ service, receiver }: Bench, player_id: string, path: string, nation: string) =>
  service.operate('POST', '/webhooks', {
    player_id,
    url: `${receiver.url}${path}`,
    types: ['strategic_weapon.*'],
    nation_ids: [nation],
  })

let batches = 0

/** One batch of launches, by each nation in turn. Resolves with the sequence numbers of its events and the time of the acknowledgement. */
async function launch({ service }: Bench, count: number): Promise<{ seqs: number[]; atMs: number }> {
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
  const { events, last_seq } = await service.ingest(`launches-${batches}`, facts)
  return { seqs: Array.from({ length: events }, (_, index) => last_seq - index), atMs: performance.now() }
}

/** Events at a steady rate: the time from each acknowledgement to each receipt. */
async function deliverSteadily(bench: Bench, eventsPerSecond: number, seconds: number) {
  const everyMs = (groups / eventsPerSecond) * 1000
  const startedMs = performance.now()
  const running: ReturnType<typeof launch>[] = []
  while (running.length * everyMs < seconds * 1000) {
    await sleep(Math.max(0, startedMs + running.length * everyMs - performance.now()))
    running.push(launch(bench, groups))
  }
  const acknowledgedMs = new Map(
    (await Promise.all(running)).flatMap(({ seqs, atMs }) => seqs.map(seq => [seq, atMs] as const)),
  )
  const expected = acknowledgedMs.size * endpointsPerGroup
  const arrivals = await bench.receiver.untilReceived(expected)
  const waits = arrivals.map(({ seq, atMs }) => Math.max(0, atMs - (acknowledgedMs.get(seq) ?? Number.NaN)))
  const distinct = new Set(arrivals.map(({ seq, endpoint }) => `${seq} ${endpoint}`)).size
  return {
    eventsPerSecond: Math.round(acknowledgedMs.size / seconds),
    deliveries: arrivals.length,
    missing: expected - distinct,
    repeated: arrivals.length - distinct,
    medianMs: rounded(quantile(waits, 0.5), 1),
    p99Ms: rounded(quantile(waits, 0.99), 1),
    maxMs: rounded(quantile(waits, 1), 1),
  }
}

/** Events of one batch: deliveries a second from its acknowledgement to the last receipt. */
async function deliverBurst(bench: Bench, events: number): Promise<number> {
  const { atMs } = await launch(bench, events)
  const arrivals = await bench.receiver.untilReceived(events * endpointsPerGroup)
  return arrivals.length / (((arrivals.at(-1)?.atMs ?? Number.NaN) - atMs) / 1000)
}
