/**
 * `node bench/src/journal.ts`: what the request journal costs a call. Two services run side by side, one with the journal and one
 * without; both answer the same cached body, in turns. A turn gives calls a second, and the processor time that the service
 * took for each: both swing with whatever else the machine does, and two processes of one program differ by some percent.
 * `--control` runs two without it, which shows how much. A profile then says steadily what share of its busy time a
 * service spends in the journal. `--json` prints one document.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { runKeepAliveLoop } from './journal/keep-alive-loop.ts'
import { profiledShare } from './journal/profiled-share.ts'
import { type Served, serve } from './served.ts'

const rounds = 15
// As long as the journal takes from one writing to the next.
const seconds = 2
/** Each with a connection of its own: so many that the journal writes as many lines as it ever does. */
const keyCount = 16

interface Turn {
  perSecond: number
  /** Processor time of the service for one call; null where the system does not tell. */
  cpuMicroseconds: number | null
}

const off = { CHANCERY_JOURNAL_ROWS: '0' }
const [withJournal, without] = await Promise.all([
  prepare(process.argv.includes('--control') ? off : {}),
  prepare(off),
])
const turns: { with: Turn; without: Turn }[] = []
try {
  for (const service of [withJournal, without]) await turn(service)
  for (let round = 0; round < rounds; round += 1) {
    // Whoever is first in one round is second in the next.
    const isFirst = round % 2 === 0
    const early = await turn(isFirst ? withJournal : without)
    const late = await turn(isFirst ? without : withJournal)
    turns.push(isFirst ? { with: early, without: late } : { with: late, without: early })
  }
} finally {
  await Promise.all([withJournal.served.close(), without.served.close()])
}
report(turns, await profile())

interface Service {
  served: Served
  keys: string[]
}

/** A service with one nation, and keys without a limit that is felt. */
async function prepare(env: Record<string, string>): Promise<Service> {
  const served = await serve(env)
  const facts = [{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Nation', player: 'p1' } }]
  await served.operate('POST', '/facts', { facts }, { 'idempotency-key': 'prepare' })
  const keys = []
  for (let count = 0; count < keyCount; count += 1) {
    const wanted = { player_id: `p${count}`, name: 'bench', limit: 1_000_000_000 }
    keys.push((await served.operate<{ key: string }>('POST', '/keys', wanted)).key)
  }
  return { served, keys }
}

async function turn({ served, keys }: Service): Promise<Turn> {
  const before = await cpuSecondsOf(served.pid)
  const startedMs = performance.now()
  const order = { url: served.publicUrl, path: '/api/v1/nations/n1', keys, seconds }
  const calls = await runKeepAliveLoop(order)
  const took = (performance.now() - startedMs) / 1000
  const after = await cpuSecondsOf(served.pid)
  return {
    perSecond: Math.round(calls / took),
    cpuMicroseconds:
      before === undefined || after === undefined
        ? null
        : Number((((after - before) * 1e6) / calls).toFixed(2)),
  }
}

/** The share of its busy time that a service spends on noting calls and on writing them down. */
async function profile(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bench-'))
  const service = await prepare({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}` })
  for (let count = 0; count < 4; count += 1) await turn(service)
  await service.served.close()
  const share = await profiledShare(directory, url => url.includes('/server/src/journal/'))
  await rm(directory, { recursive: true })
  return share
}

function report(turns: { with: Turn; without: Turn }[], share: number): void {
  const rates = turns.map(each => each.with.perSecond / each.without.perSecond)
  const times = turns.flatMap(each =>
    each.with.cpuMicroseconds === null || each.without.cpuMicroseconds === null
      ? []
      : [each.with.cpuMicroseconds / each.without.cpuMicroseconds],
  )
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ cpus: cpus().length, turns, share }, null, 2))
    return
  }
  console.log(`\n${cpus().length} CPUs; two services, two databases and the load share them.\n`)
  console.log('Calls a second, and processor time for each, with the journal and without:')
  for (const { with: one, without: other } of turns)
    console.log(
      `  ${one.perSecond}/s  ${one.cpuMicroseconds} µs   without ${other.perSecond}/s  ${other.cpuMicroseconds} µs`,
    )
  console.log(`\nWith the journal there are ${spread(rates)} times as many calls a second,`)
  if (times.length > 0) console.log(`and one takes ${spread(times)} times the processor time.`)
  console.log(`By a profile the journal takes ${(share * 100).toFixed(2)} % of a busy service's time.`)
}

function spread(ratios: number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(3)
  return `${at(0.5)} (median; quarter to three quarters ${at(0.25)} to ${at(0.75)}, all ${at(0)} to ${at(1)})`
}
