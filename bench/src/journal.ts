/**
 * `node bench/src/journal.ts`: what the request journal costs a call. Two services run side by side, one with the journal and one
 * without; both answer the same cached body, in turns. A turn gives calls a second, and the processor time that the service
 * took for each. The first says what callers notice, and swings with whatever else the machine does; the second says what
 * the service itself spends. `--json` prints one document.
 */
import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { runKeepAliveLoop } from './journal/keep-alive-loop.ts'
import { type Served, serve } from './served.ts'

const rounds = 9
const seconds = 3
const connections = 16

interface Turn {
  perSecond: number
  /** Processor time of the service for one call; null where the system does not tell. */
  cpuMicroseconds: number | null
}

const [withJournal, without] = await Promise.all([prepare({}), prepare({ CHANCERY_JOURNAL_ROWS: '0' })])
try {
  for (const service of [withJournal, without]) await turn(service)
  const turns: { with: Turn; without: Turn }[] = []
  for (let round = 0; round < rounds; round += 1) {
    // Whoever is first in one round is second in the next.
    const isFirst = round % 2 === 0
    const early = await turn(isFirst ? withJournal : without)
    const late = await turn(isFirst ? without : withJournal)
    turns.push(isFirst ? { with: early, without: late } : { with: late, without: early })
  }
  report(turns, await withJournal.usage())
} finally {
  await Promise.all([withJournal.served.close(), without.served.close()])
}

interface Service {
  served: Served
  key: string
  usage(): Promise<unknown>
}

/** A service with one nation, and a key without a limit that is felt. */
async function prepare(env: Record<string, string>): Promise<Service> {
  const served = await serve(env)
  const facts = [{ op: 'put', resource: 'nation', data: { id: 'n1', nation_name: 'Nation', player: 'p1' } }]
  await served.operate('POST', '/facts', { facts }, { 'idempotency-key': 'prepare' })
  const { key } = await served.operate<{ key: string }>('POST', '/keys', {
    player_id: 'p1',
    name: 'bench',
    limit: 1_000_000_000,
  })
  return { served, key, usage: () => served.operate('GET', '/usage/keys') }
}

async function turn({ served, key }: Service): Promise<Turn> {
  const before = await cpuSecondsOf(served.pid)
  const startedMs = performance.now()
  const order = { url: served.publicUrl, path: '/api/v1/nations/n1', key, connections, seconds }
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

/** Of all threads of a process, where the system is a Linux. */
async function cpuSecondsOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Behind the name, which may hold anything: user and system time are the 12th and 13th, in hundredths.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && (Number(fields[11]) + Number(fields[12])) / 100
}

function report(turns: { with: Turn; without: Turn }[], usage: unknown): void {
  const rates = turns.map(each => each.with.perSecond / each.without.perSecond)
  const times = turns.flatMap(each =>
    each.with.cpuMicroseconds === null || each.without.cpuMicroseconds === null
      ? []
      : [each.with.cpuMicroseconds / each.without.cpuMicroseconds],
  )
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ cpus: cpus().length, turns, usage }, null, 2))
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
}

function spread(ratios: number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN).toFixed(3)
  return `${at(0.5)} (median; quarter to three quarters ${at(0.25)} to ${at(0.75)}, all ${at(0)} to ${at(1)})`
}
