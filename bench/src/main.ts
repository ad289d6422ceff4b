/** `npm run bench -- COMMAND`: see `--help`, and docs/operations/performance.md. */
import { parseArgs } from 'node:util'
import { growthPage } from './growth/page.ts'
import { versionOf } from './machine.ts'
import { fromRoot, resultsText, writeFormatted, writeResults } from './report/page.ts'
import { closeAll } from './servers.ts'

const usage = `npm run bench -- COMMAND [OPTIONS]

  http        requests a second of one process, compared with simpler servers with the same responses
                --peers        also Platformatic DB and PostGraphile, installed into a temporary folder
                --rounds N     turns of each server at each workload (3)
                --seconds N    length of a turn (4)
                --only ID,ID   only these workloads: cached-page, nations-changing, …
  memory      resident memory of a process with 100,000 nations
                --minutes N    how long (30)
  growth      each list, filter and page with 1,000, 100,000 and 1,000,000 nations, and facts a second
                --worlds DIR   keeps the loaded worlds (.chancery/growth)
                --sizes N,N    only worlds of these sizes
                --only TEXT    only queries that contain the text
  snapshot    a snapshot of the world: time, size, memory, and the latency of hot reads meanwhile
                --worlds DIR   as above
                --sizes N      of this size (1000000)
                --seconds N    length of a turn of the load (5)
  processes   one to four processes: idle, cached reads, streams, limits in Redis
  push        webhook deliveries a second compared with wrk, and their latency
  pull        rounds of a pull of 10,000 nations and 50,000 wars

  --quick     a smoke test: small worlds and short loads, whose figures mean nothing
  --json      prints the results as JSON
  --write     http, memory: bench/results.json and docs/operations/performance.md; growth: docs/operations/growth.md
  --help      prints this`

class UsageError extends Error {}

const args = process.argv.slice(2)
const command = ['npm run bench --', ...args].join(' ')

const optionTypes = {
  peers: { type: 'boolean', default: false },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  minutes: { type: 'string' },
  only: { type: 'string', default: '' },
  worlds: { type: 'string', default: '.chancery/growth' },
  sizes: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const
type Options = ReturnType<typeof parseArgs<{ args: string[]; options: typeof optionTypes }>>['values']

/** An option that is a number, with its defaults for a complete and for a quick run. */
function integer(
  options: Options,
  name: 'rounds' | 'seconds' | 'minutes',
  complete: number,
  quick = 1,
): number {
  const value = Number(options[name] ?? (options.quick ? quick : complete))
  if (!Number.isInteger(value) || value < 1 || value > 600)
    throw new UsageError(`--${name} must be an integer from 1 to 600`)
  return value
}

interface Report {
  results: object
  /** For the terminal; without it the results are printed as JSON. */
  text?: string
  write?: () => Promise<void>
}

const commands: Record<string, (options: Options) => Promise<Report>> = {
  async http(options) {
    const { measureHttp } = await import('./http/http.ts')
    const http = await measureHttp({
      peers: options.peers,
      rounds: integer(options, 'rounds', 3),
      seconds: integer(options, 'seconds', 4),
      only: options.only.split(',').filter(Boolean),
      nations: options.quick ? 1_000 : 12_000,
      command,
    })
    return { results: { http }, text: resultsText({ http }), write: () => writeResults({ http }) }
  },
  async memory(options) {
    const { measureMemory } = await import('./memory.ts')
    const nations = options.quick ? 1_000 : 100_000
    const memory = await measureMemory({ minutes: integer(options, 'minutes', 30), nations })
    return { results: { memory }, text: resultsText({ memory }), write: () => writeResults({ memory }) }
  },
  async growth({ worlds, quick, ...options }) {
    const { measureGrowth } = await import('./growth/growth.ts')
    const sizes = options.sizes ?? (quick ? '1000' : '1000,100000,1000000')
    const results = await measureGrowth({
      worlds,
      sizes: sizes.split(',').map(Number),
      only: quick && options.only === '' ? 'alliances' : options.only,
      command,
    })
    const text = growthPage(results)
    return { results, text, write: () => writeFormatted({ [fromRoot('docs/operations/growth.md')]: text }) }
  },
  async snapshot(options) {
    const { measureSnapshot } = await import('./snapshot.ts')
    const seconds = integer(options, 'seconds', 5)
    const nations = Number(options.sizes ?? (options.quick ? 1_000 : 1_000_000))
    return { results: await measureSnapshot({ worlds: options.worlds, nations, seconds }) }
  },
  async processes(options) {
    const { measureProcesses } = await import('./processes.ts')
    const seconds = integer(options, 'seconds', 6)
    const [idleSeconds, streams] = options.quick ? [1, 20] : [20, 2_000]
    return { results: await measureProcesses({ seconds, idleSeconds, streams }) }
  },
  async push(options) {
    const { measurePush } = await import('./push.ts')
    return { results: await measurePush(options) }
  },
  async pull({ quick }) {
    const { measurePull } = await import('./pull.ts')
    return { results: await measurePull({ rounds: quick ? 1 : 20 }) }
  },
}

async function main(): Promise<void> {
  const { values: options, positionals } = parseArgs({ args, allowPositionals: true, options: optionTypes })
  if (options.help) return console.log(usage)
  const [name = ''] = positionals
  const run = commands[name]
  if (!run) throw new UsageError(name === '' ? usage : `unknown command ${name}; see --help`)
  if (options.write && (options.quick || options.only !== ''))
    throw new UsageError('--write needs a complete run')
  if (!['growth', 'pull'].includes(name) && versionOf('wrk', '-v') === undefined)
    throw new UsageError('wrk is not installed, and it makes the load: apt-get install wrk')
  const { results, text, write } = await run(options)
  if (options.write) await write?.()
  console.log(text === undefined || options.json ? JSON.stringify(results, null, 2) : text)
}

// PostgreSQL does not end with the terminal.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => closeAll().finally(() => process.exit(1)))

try {
  await main()
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
  console.error(isUsage ? error.message : error)
  process.exitCode = isUsage ? 2 : 1
} finally {
  await closeAll()
}
