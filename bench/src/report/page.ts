import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { count, machineText, median } from '../machine.ts'
import { evaluateGoals } from './goals.ts'
import { markdownTable, percent } from './markdown.ts'
import {
  baselineOf,
  type HttpResults,
  type MemoryResults,
  medianOfKnown,
  type OverheadShares,
  type Results,
  ratioOf,
  type WorkloadResult,
} from './results.ts'

export const fromRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const file = fromRoot('bench/results.json')
const page = fromRoot('docs/operations/performance.md')

/** Writes files, formatted as the rest of the repository. */
export async function writeFormatted(texts: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) await writeFile(path, text)
  await promisify(execFile)(fromRoot('node_modules/.bin/biome'), [
    'format',
    '--write',
    '--no-errors-on-unmatched',
    ...Object.keys(texts),
  ])
}

/** Replaces the parts of bench/results.json that were measured, and writes the page that is made of it. */
export async function writeResults(measured: Results): Promise<void> {
  const previous = await readFile(file, 'utf8').catch(() => '{}')
  const results: Results = { ...(JSON.parse(previous) as Results), ...measured }
  const text = pageWith(await readFile(page, 'utf8'), results)
  await writeFormatted({ [file]: `${JSON.stringify(results)}\n`, [page]: text })
}

const begin = '<!-- measured: written by npm run bench -- http --write -->'
const end = '<!-- measured: end -->'

/** The page with the results between its marks; the rest of it is written by hand. */
export function pageWith(page: string, results: Results): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`the page has no line "${begin}", or no "${end}" after it`)
  return `${page.slice(0, from + begin.length)}\n\n${resultsText(results)}\n\n${page.slice(to)}`
}

/** The results as Markdown, for the page and the terminal. */
export function resultsText(results: Results): string {
  const { http, memory } = results
  const goals = evaluateGoals(results).map(({ goal, measured, byCpuTime = '', isMet }) => [
    goal,
    measured,
    byCpuTime,
    isMet ? 'met' : '**missed**',
  ])
  return [
    ...(http ? [summaryOf(http)] : []),
    '### Goals',
    markdownTable([['', 'measured', 'by processor time', ''], ...goals]),
    ...(http ? ['### All figures', ...http.workloads.flatMap(workloadText)] : []),
    ...(http?.overhead
      ? [
          '### Where the time of a cached response goes',
          overheadTable('Without keys', http.overhead.anonymous),
          overheadTable('With keys', http.overhead.withKeys),
        ]
      : []),
    ...(memory ? ['### Memory', memoryText(memory)] : []),
  ].join('\n\n')
}

function summaryOf({ measuredOn, command, machine, world, leftOut, ...run }: HttpResults): string {
  const versions = Object.entries(machine.versions).flatMap(
    ([name, version]) => version && `${name} ${version}`,
  )
  const cores = machine.cores ? ', the servers on one of them and the load on another' : ''
  return [
    `Measured on ${measuredOn} with \`${command}\`, on ${machineText(machine)}${cores}; ${versions.filter(Boolean).join(', ')}.`,
    `The load average was ${machine.loadBefore.toFixed(1)} before the run.`,
    `${count(world.nations)} nations, ${count(world.wars)} wars, ${count(world.events)} events; ${run.rounds} rounds of ${run.seconds} seconds each, ${run.connections} connections.`,
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(', ')}.`] : []),
  ].join(' ')
}

function workloadText(workload: WorkloadResult): string[] {
  const baseline = baselineOf(workload)
  const shown = (values: (number | null)[], unit: string, factor = 1) => {
    const value = medianOfKnown(values)
    return value === null ? '' : `${Math.round(value * factor)} ${unit}`
  }
  const rows = workload.targets.map(({ id, title, perSecond, p50Ms, p99Ms, p999Ms, ...cost }) => [
    title,
    count(Math.round(median(perSecond))),
    (baseline && ratioOf(workload, id, baseline)?.rate.toFixed(2)) ?? '',
    milliseconds(median(p50Ms)),
    milliseconds(median(p99Ms)),
    p999Ms ? milliseconds(median(p999Ms)) : '',
    shown(cost.serverUs, 'µs'),
    shown(cost.databaseUs, 'µs'),
    shown(cost.busy, '%', 100),
  ])
  const comparedWith = baseline === 'node' ? 'of bare node:http' : 'of Fastify + pg'
  const head = ['', 'requests/s', comparedWith, 'median', 'p99', 'p99.9', 'server', 'database', 'busy']
  return [`**${workload.title}**`, markdownTable([head, ...rows])]
}

const milliseconds = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`

const overheadTable = (title: string, { total, parts }: OverheadShares): string =>
  markdownTable([
    [title, ''],
    ...parts.map(({ name, share, isOverhead }) => [isOverhead ? `overhead: ${name}` : name, percent(share)]),
    ['**overhead in all**', `**${percent(total)}**`],
  ])

function memoryText({
  measuredOn,
  minutes,
  nations,
  requests,
  errors,
  samples,
  ...trends
}: MemoryResults): string {
  const bar = (value: number, max: number) => '█'.repeat(Math.round((value / max) * 20)).padEnd(20)
  const lines = samples.map(({ bytes, p99Ms }, index) =>
    [
      `${index + 1}`.padStart(6),
      `${Math.round(bytes / 1e6)} MB`.padStart(8),
      bar(bytes, trends.memory.max),
      milliseconds(p99Ms).padStart(8),
      bar(p99Ms, trends.p99.max),
    ]
      .join('  ')
      .trimEnd(),
  )
  const head = `minute  resident  ${' '.repeat(20)}       p99`
  return `${count(nations)} nations, ${minutes} minutes on ${measuredOn}, ${count(requests)} requests, ${errors} of them with an error status. The most resident memory of each minute, and its p99:\n\n\`\`\`\n${[head, ...lines].join('\n')}\n\`\`\``
}
