import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type Asker, connectAsker } from './growth/asking.ts'
import { drawChart } from './growth/chart.ts'
import { copyFactsPerSecond } from './growth/copy-speed.ts'
import { ingestFurtherDay } from './growth/further-day.ts'
import { type Measured, measure } from './growth/measure.ts'
import { missesOf, pageOf, type Result, type WorldResult } from './growth/page.ts'
import { questionsOf } from './growth/questions.ts'
import { tableTextOf } from './growth/table-text.ts'
import { valuesIn } from './growth/values.ts'
import { openWorld, type World } from './growth/worlds.ts'

const usage = `npm run bench:growth -- [options]

What each list, filter and page costs in worlds of 1,000, 100,000 and 1,000,000 nations, and how fast facts are taken in.
The worlds are loaded once, which takes a while, and kept; later runs use them.

  --worlds DIR           where they are kept (.chancery/growth)
  --sizes 1000,100000    only worlds of these sizes
  --only TEXT            only questions whose operation and name hold the text
  --json                 prints one document instead of the table
  --write                writes docs/operations/growth.md, its chart and bench/results/growth.json
  --help                 prints this`

const { values: options } = parseArgs({
  options: {
    worlds: { type: 'string', default: '.chancery/growth' },
    sizes: { type: 'string', default: '1000,100000,1000000' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (options.help) {
  console.log(usage)
  process.exit(0)
}

const result: Result = {
  measuredAt: new Date().toISOString(),
  machine: `${cpus().length} processors (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`,
  load: loadavg()[0] ?? 0,
  command: 'npm run bench:growth',
  worlds: [],
}
await mkdir(options.worlds, { recursive: true, mode: 0o711 })
const sizes = options.sizes.split(',').map(Number)
for (const nations of sizes) {
  const world = await openWorld(options.worlds, nations)
  const asker = connectAsker(world.served.publicUrl)
  let measured: WorldResult
  try {
    measured = await measureWorld(world, asker)
  } finally {
    await asker.close()
    await world.close()
  }
  // COPY writes to the same disk, when nothing else does.
  if (measured.ingest) measured.ingest.copyFactsPerSecond = await copyFactsPerSecond(world.dataDir)
  result.worlds.push(measured)
}
console.log(options.json ? JSON.stringify(result, null, 2) : tableTextOf(result))
if (options.write) await write()

async function measureWorld(world: World, asker: Asker): Promise<WorldResult> {
  const totalOf = async (path: string) =>
    (await asker.read<{ pagination: { total: number } }>(`${path}?limit=1`)).pagination.total
  const measured: Measured[] = []
  const questions = await questionsOf(asker, valuesIn(asker, world.loading.half_at))
  // What a service does often it does faster: what is asked first would be charged with its start.
  for (const question of questions.filter(({ filters }) => filters === 0)) await measure(asker, question)
  for (const question of questions) {
    if (!`${question.operation} ${question.name}`.includes(options.only)) continue
    // Combinations are asked of the largest world alone.
    if (question.filters > 1 && world.nations !== sizes.at(-1)) continue
    console.error(`${world.nations} nations: ${question.operation} ${question.name}`)
    measured.push(await measure(asker, question))
  }
  const isWhole = options.only === ''
  const further = isWhole ? await ingestFurtherDay(world, asker) : undefined
  return {
    nations: world.nations,
    events: await totalOf('/events'),
    wars: await totalOf('/wars'),
    ingest: further && { factsPerSecond: further.factsPerSecond, copyFactsPerSecond: 0 },
    measured,
  }
}

/** What the chart shows: page 1 and a middle page of lists that are flat and of some that select much. */
async function write(): Promise<void> {
  const shown = [
    { operation: 'nations.list', name: 'all' },
    { operation: 'nations.get', name: 'by id' },
    { operation: 'events.list', name: 'all' },
    { operation: 'nations.list', name: 'status=active' },
    { operation: 'wars.list', name: 'status=ended' },
    { operation: 'nations.list', name: 'min_score' },
    { operation: 'nations.list', name: 'search' },
  ]
  const lines = shown.map(({ operation, name }) => ({
    name: `${operation} ${name}`,
    points: result.worlds.flatMap(({ nations, measured }) => {
      const found = measured.find(one => one.operation === operation && one.name.startsWith(name))
      const timing = found?.pages.middle ?? found?.pages.first
      return timing ? [{ nations, ms: timing.p50 }] : []
    }),
  }))
  const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const [page, document] = [at('docs/operations/growth.md'), at('bench/results/growth.json')]
  await mkdir(at('bench/results'), { recursive: true })
  await writeFile(page, pageOf(result))
  await writeFile(at('docs/operations/growth.svg'), drawChart('A middle page, median', lines))
  await writeFile(document, `${JSON.stringify({ ...result, misses: missesOf(result) }, null, 2)}\n`)
  // As everything else in the repository is written.
  await promisify(execFile)(at('node_modules/.bin/biome'), ['format', '--write', page, document])
}
