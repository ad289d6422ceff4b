import { machineText, median } from '../machine.ts'
import type { OverheadShares } from '../profile.ts'
import { evaluateGoals } from './goals.ts'
import {
  baselineOf,
  type HttpResults,
  type MemoryResults,
  medianOfKnown,
  type Results,
  ratioOf,
  type WorkloadResult,
} from './results.ts'

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
  return [
    ...(http ? [summaryOf(http), '![Requests a second of Chancery and of others](performance.svg)'] : []),
    '### Goals',
    markdownTable([
      ['', 'measured', 'by processor time', ''],
      ...evaluateGoals(results).map(({ goal, measured, byCpuTime, isMet }) => [
        goal,
        measured,
        byCpuTime,
        isMet ? 'met' : '**missed**',
      ]),
    ]),
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

const count = (value: number) => value.toLocaleString('en')

function summaryOf({
  measuredOn,
  command,
  machine,
  rounds,
  seconds,
  connections,
  world,
  leftOut,
}: HttpResults) {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const cores = machine.cores ? ', the servers on one of them and the load on another' : ''
  return [
    `Measured on ${measuredOn} with \`${command}\`, on ${machineText(machine)}${cores}; ${versions.join(', ')}.`,
    `The load average was ${machine.loadBefore.toFixed(1)} before the run.`,
    `${count(world.nations)} nations, ${count(world.wars)} wars, ${count(world.events)} events; ${rounds} rounds of ${seconds} seconds each, ${connections} connections.`,
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(', ')}.`] : []),
  ].join(' ')
}

function workloadText(workload: WorkloadResult): string[] {
  const baseline = baselineOf(workload)
  const beside = baseline === 'node' ? 'of bare node:http' : 'of Fastify + pg'
  const rows = workload.targets.map(({ id, title, perSecond, p50Ms, p99Ms, serverUs, databaseUs, busy }) => {
    const ratio = baseline && ratioOf(workload, id, baseline)
    const shown = (values: (number | null)[], unit: string, factor = 1) => {
      const value = medianOfKnown(values)
      return value === null ? '' : `${Math.round(value * factor)} ${unit}`
    }
    return [
      title,
      count(Math.round(median(perSecond))),
      ratio ? ratio.rate.toFixed(2) : '',
      milliseconds(median(p50Ms)),
      milliseconds(median(p99Ms)),
      shown(serverUs, 'µs'),
      shown(databaseUs, 'µs'),
      shown(busy, '%', 100),
    ]
  })
  const head = ['', 'requests/s', beside, 'median', 'p99', 'server', 'database', 'busy']
  return [`**${workload.title}**`, markdownTable([head, ...rows])]
}

const milliseconds = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const overheadTable = (title: string, { total, parts }: OverheadShares): string =>
  markdownTable([
    [title, ''],
    ...parts.map(({ name, share, isOverhead }) => [isOverhead ? `overhead: ${name}` : name, percent(share)]),
    ['**overhead in all**', `**${percent(total)}**`],
  ])

function memoryText({ measuredOn, minutes, nations, requests, errors, samples }: MemoryResults): string {
  const table = markdownTable([
    ['after', ...samples.map(({ second }) => `${Math.round(second / 60)} min`)],
    ['resident', ...samples.map(({ bytes }) => `${Math.round(bytes / 1e6)} MB`)],
  ])
  return `${count(nations)} nations, ${minutes} minutes on ${measuredOn}, ${count(requests)} requests, ${errors} of them with an error status.\n\n${table}`
}

/** The first row is the head; the first column is aligned to the left, the others to the right. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 3, cell.length)
  const [head = '', ...body] = rows.map(
    row =>
      `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`,
  )
  const line = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [head, line, ...body].join('\n')
}
