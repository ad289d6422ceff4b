/** `npm run bench -- COMMAND`: see `--help`, and docs/operations/performance.md. */
import { parseArgs } from 'node:util'
import { versionOf } from './machine.ts'
import { closeAll } from './servers.ts'

const usage = `npm run bench -- COMMAND [OPTIONS]

  http        requests a second of one process, beside simpler servers with the same responses
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
  processes   one to four processes: idle, cached reads, streams, limits in Redis
  push        webhook deliveries a second beside a bare loop, and their latency
  pull        rounds of a pull of 10,000 nations and 50,000 wars

  --quick     a smoke test: small worlds and short loads, whose figures mean nothing
  --json      prints the results as JSON
  --write     http, memory: bench/results.json and docs/operations/performance.md; growth: docs/operations/growth.md
  --help      prints this`

class UsageError extends Error {}

function integer(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 600)
    throw new UsageError(`--${name} must be an integer from 1 to 600`)
  return value
}

async function main(args: string[]): Promise<void> {
  const { values: options, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
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
    },
  })
  if (options.help) return console.log(usage)
  const [command] = positionals
  const { quick, write: writes } = options
  if (writes && (quick || options.only !== '')) throw new UsageError('--write needs a complete run')
  const commandText = ['npm run bench --', ...args].join(' ')
  const print = (results: object, text = JSON.stringify(results, null, 2)) =>
    console.log(options.json ? JSON.stringify(results, null, 2) : text)

  switch (command) {
    case 'http':
    case 'memory': {
      needWrk()
      const { resultsText } = await import('./report/page.ts')
      const results =
        command === 'http'
          ? {
              http: await (await import('./http/run.ts')).measureHttp({
                peers: options.peers,
                rounds: integer('rounds', options.rounds, quick ? 1 : 3),
                seconds: integer('seconds', options.seconds, quick ? 1 : 4),
                only: options.only.split(',').filter(Boolean),
                nations: quick ? 1_000 : 12_000,
                command: commandText,
              }),
            }
          : {
              memory: await (await import('./http/memory.ts')).measureMemory({
                minutes: integer('minutes', options.minutes, quick ? 1 : 30),
                nations: quick ? 1_000 : 100_000,
              }),
            }
      if (writes) await (await import('./report/write.ts')).writeResults(results)
      return print(results, resultsText(results))
    }
    case 'growth': {
      const { measureGrowth } = await import('./growth/run.ts')
      const page = await measureGrowth({
        worlds: options.worlds,
        sizes: (options.sizes ?? (quick ? '1000' : '1000,100000,1000000')).split(',').map(Number),
        only: quick && options.only === '' ? 'alliances' : options.only,
        writes,
        command: commandText,
      })
      return console.log(page)
    }
    case 'processes': {
      needWrk()
      const { measureProcesses } = await import('./processes.ts')
      const seconds = integer('seconds', options.seconds, quick ? 1 : 6)
      return print(
        await measureProcesses({ seconds, idleSeconds: quick ? 1 : 20, streams: quick ? 20 : 2_000 }),
      )
    }
    case 'push': {
      const { fullPush, measurePush, quickPush } = await import('./push/run.ts')
      return print(await measurePush(quick ? quickPush : fullPush))
    }
    case 'pull': {
      const { measurePull } = await import('./pull.ts')
      return print(await measurePull({ rounds: quick ? 1 : 20 }))
    }
    default:
      throw new UsageError(command === undefined ? usage : `unknown command ${command}; see --help`)
  }
}

function needWrk(): void {
  if (versionOf('wrk', '-v') === undefined)
    throw new UsageError('wrk is not installed, and it makes the load: apt-get install wrk')
}

// PostgreSQL does not end with the terminal.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => closeAll().finally(() => process.exit(1)))

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
  console.error(isUsage ? error.message : error)
  process.exitCode = isUsage ? 2 : 1
} finally {
  await closeAll()
}
