/**
 * `npm run bench:push`: how many webhooks a second are delivered to a receiver on this machine, beside a bare loop that posts
 * the same signed bodies in the same run; and how long a message takes from the acknowledgement of the ingest door to its
 * receipt, at 200 events a second that each match 5 of 50 endpoints; and how long beside 1,000 endpoints that answer after 14 s,
 * which want a tenth of the events. `--json` prints one document.
 */
import { cpus } from 'node:os'
import { runBareLoop, startReceiver } from './push/children.ts'
import { slowPath } from './push/messages.ts'
import { burst, type Latency, type Office, steady } from './push/runs.ts'
import { serve } from './served.ts'

const rounds = 3
const burstEvents = 6_000
const steadySeconds = 20
const slowEndpoints = 1_000
const slowSeconds = 90

const receiver = await startReceiver()
const service = await serve({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' })
const office: Office = { service, receiver, groups: 10, endpointsPerGroup: 5, inFlight: 8 }
try {
  await prepare()
  const latency = await steady(office, { eventsPerSecond: 200, seconds: steadySeconds })
  const { kept } = latency
  const throughput: { chancery: number; bare: number; ratio: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const deliveries = burstEvents * office.endpointsPerGroup
    const concurrency = office.groups * office.endpointsPerGroup * office.inFlight
    const bare = await runBareLoop({
      url: `${receiver.url}/bare`,
      posts: kept,
      count: deliveries,
      concurrency,
    })
    await receiver.ask('take')
    const chancery = await burst(office, burstEvents)
    throughput.push({
      chancery: Math.round(chancery),
      bare: Math.round(bare.perSecond),
      ratio: Number((chancery / bare.perSecond).toFixed(3)),
    })
  }
  await prepareSlow()
  const besideSlow = await steady(office, { eventsPerSecond: 20, seconds: slowSeconds })
  report({ latency, throughput, besideSlow })
} finally {
  await service.close()
  receiver.close()
}

/** Ten nations, and five endpoints that want to hear of each: no more than ten to a player. */
async function prepare(): Promise<void> {
  const ids = ['target', ...Array.from({ length: office.groups }, (_, group) => `n${group}`)]
  const nations = ids.map(id => ({
    op: 'put',
    resource: 'nation',
    data: { id, nation_name: `Nation ${id}` },
  }))
  await service.operate('POST', '/facts', { facts: nations }, { 'idempotency-key': 'prepare' })
  for (let group = 0; group < office.groups; group += 1) {
    for (let one = 0; one < office.endpointsPerGroup; one += 1) {
      await service.operate('POST', '/webhooks', {
        player_id: `p${group}`,
        url: `${receiver.url}/${group}-${one}`,
        types: ['strategic_weapon.*'],
        nation_ids: [`n${group}`],
      })
    }
  }
}

/** Endpoints that answer their tests at once and everything else late, ten to a player. */
async function prepareSlow(): Promise<void> {
  for (let player = 0; player < slowEndpoints / 10; player += 1) {
    const added = Array.from({ length: 10 }, (_, one) =>
      service.operate('POST', '/webhooks', {
        player_id: `slow${player}`,
        url: `${receiver.url}${slowPath}${player}-${one}`,
        types: ['strategic_weapon.*'],
        nation_ids: ['n0'],
      }),
    )
    await Promise.all(added)
  }
}

interface Figures {
  latency: Latency
  throughput: { chancery: number; bare: number; ratio: number }[]
  besideSlow: Latency
}

function report({ latency, throughput, besideSlow }: Figures): void {
  const { kept: _kept, ...figures } = latency
  const { kept: _keptBesideSlow, ...slowFigures } = besideSlow
  if (process.argv.includes('--json')) {
    const document = { cpus: cpus().length, latency: figures, throughput, besideSlow: slowFigures }
    console.log(JSON.stringify(document, null, 2))
    return
  }
  console.log(`\n${cpus().length} CPUs; server, database, receiver and load share them.\n`)
  console.log('Deliveries a second, and beside them a bare undici loop with the same signed bodies:')
  for (const { chancery, bare, ratio } of throughput)
    console.log(`  ${chancery}/s   bare ${bare}/s   ratio ${ratio}`)
  console.log(
    `\nFrom the acknowledgement to the receipt, ${figures.eventsPerSecond} events/s x ${office.endpointsPerGroup} endpoints, ${figures.deliveries} deliveries:`,
  )
  console.log(
    `  median ${figures.medianMs} ms   p99 ${figures.p99Ms} ms   most ${figures.mostMs} ms   (missing ${figures.missing}, repeated ${figures.repeated})`,
  )
  console.log(
    `\nThe same beside ${slowEndpoints} endpoints that answer after 14 s, ${slowFigures.eventsPerSecond} events/s, ${slowFigures.deliveries} deliveries:`,
  )
  console.log(
    `  median ${slowFigures.medianMs} ms   p99 ${slowFigures.p99Ms} ms   most ${slowFigures.mostMs} ms   (missing ${slowFigures.missing}, repeated ${slowFigures.repeated})`,
  )
}
