/**
 * `npm run bench`: how fast Chancery answers, beside the simplest servers that give the same answers, in one run. See `--help` and
 * docs/operations/performance.md.
 */
import { writeFile } from 'node:fs/promises'
import { asksOf } from './asks.ts'
import { measureGuards } from './guards.ts'
import { versionOf } from './installed.ts'
import { describeMachine, loadNow } from './machine.ts'
import { measureMemory } from './memory.ts'
import { type Options, readOptions, usage } from './options.ts'
import type { GuardShares, Results } from './report/results.ts'
import { terminalText } from './report/terminal.ts'
import { readLatest, writeResults } from './report/write.ts'
import { connections, runRounds } from './rounds.ts'
import { type Scene, setScene } from './scene.ts'

const say = (text: string) => console.error(text)

/** What this run measures; without any works, those of the last one that was written. */
async function resultsOf(options: Options): Promise<Results> {
  const last = await readLatest()
  const memory = options.memoryMinutes > 0 ? await measureMemory(options.memoryMinutes, say) : last?.memory
  const results = options.only.includes('none') && last ? last : await measure(options)
  return memory ? { ...results, memory } : results
}

async function measure(options: Options): Promise<Results> {
  const loadBefore = loadNow()
  const scene = await setScene({ peers: options.peers, say })
  closeWhenStopped(scene)
  try {
    const works = scene.works.filter(({ id }) => options.only.length === 0 || options.only.includes(id))
    const measured = await runRounds(scene, works, { ...options, say })
    const guards = options.only.length === 0 ? await guardsOf(scene, options.seconds) : undefined
    return {
      measuredAt: new Date().toISOString(),
      command: ['npm run bench --', ...process.argv.slice(2)].join(' '),
      machine: describeMachine({ loadBefore, postgres: scene.database.version }),
      rounds: options.rounds,
      seconds: options.seconds,
      connections,
      world: scene.subjects.counts,
      works: measured,
      leftOut: scene.leftOut,
      ...(guards ? { guards } : {}),
    }
  } finally {
    await scene.close()
  }
}

/** A database is no child that ends with its terminal: whoever stops a run leaves nothing behind. */
function closeWhenStopped({ close }: Scene): void {
  const stop = () => {
    close().finally(() => process.exit(1))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
}

async function guardsOf(scene: Scene, seconds: number): Promise<GuardShares | undefined> {
  const work = scene.works.find(({ id }) => id === 'hot-list')
  const withKeys = scene.contestants.get('chancery-keys')
  if (!work || !withKeys) return undefined
  say('Profiling the guards')
  const order = { databaseUrl: scene.database.url, connections, seconds: seconds * 2 }
  return {
    anonymous: await measureGuards({ ...order, asks: work.asks }),
    withKeys: await measureGuards({ ...order, asks: await asksOf(work, withKeys, scene) }),
  }
}

const options = readOptions(process.argv.slice(2))
if (options === 'help') console.log(usage)
else if (versionOf('wrk', '-v') === undefined) {
  console.error(
    'wrk is not installed, and it makes the load: apt-get install wrk, or https://github.com/wg/wrk',
  )
  process.exitCode = 1
} else {
  const results = await resultsOf(options)
  if (options.jsonFile !== undefined)
    await writeFile(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`)
  if (options.writes) await writeResults(results)
  console.log(terminalText(results))
}
