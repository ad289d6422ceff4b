import { verdictsOn } from './goals.ts'
import type { GuardShare, Machine, MemoryResult, Results } from './results.ts'
import { headOfWork, rowsOfWork } from './rows.ts'
import { markdownTable } from './table.ts'

const begin = '<!-- measured: written by npm run bench -- --write -->'
const end = '<!-- measured: end -->'

/** The page with what was measured put between its marks; the rest of it is written by people. */
export function pageWith(page: string, results: Results): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from === -1 || to < from) throw new Error(`the page has no line "${begin}", or no "${end}" after it`)
  return `${page.slice(0, from + begin.length)}\n\n${measuredText(results)}\n\n${page.slice(to)}`
}

function measuredText(results: Results): string {
  const { works, guards, memory } = results
  return [
    summaryOf(results),
    '![Calls a second of Chancery and of others](performance.svg)',
    '### Goals',
    markdownTable([
      ['', 'measured', 'by processor time', ''],
      ...verdictsOn(results).map(({ goal, measured, byProcessorTime, isMet }) => [
        goal,
        measured,
        byProcessorTime,
        isMet ? 'met' : '**missed**',
      ]),
    ]),
    '### All figures',
    ...works.flatMap(work => [
      `**${work.title}**`,
      markdownTable([headOfWork(work), ...rowsOfWork(results, work)]),
    ]),
    ...(guards
      ? [
          '### Where the time of a call goes',
          markdownTable([['Callers without keys', ''], ...shareRows(guards.anonymous)]),
          markdownTable([['Callers with keys', ''], ...shareRows(guards.withKeys)]),
        ]
      : []),
    ...(memory ? ['### Memory', memoryText(memory)] : []),
  ].join('\n\n')
}

function summaryOf({ measuredAt, command, machine, rounds, seconds, connections, world, leftOut }: Results) {
  const count = (value: number) => value.toLocaleString('en')
  const sentences = [
    `Measured on ${measuredAt.slice(0, 10)} with \`${command}\`, on ${machineText(machine)}.`,
    `${count(world.nations)} nations, ${count(world.wars)} wars, ${count(world.events)} events; ${rounds} rounds of ${seconds} seconds each, ${connections} connections.`,
    ...leftOut.map(({ title, why }) => `Left out: ${title} (${why}).`),
  ]
  return sentences.join(' ')
}

function machineText({ cpus, model, memoryBytes, cores, load, versions }: Machine): string {
  const parts = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const apart = cores ? ', the servers on one of them and the load on another' : ''
  return `${cpus} processors (${model})${apart}, ${Math.round(memoryBytes / 1e9)} GB; ${parts.join(', ')}. The load average was ${load.before.toFixed(1)} before the run`
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const shareRows = ({ all, parts }: GuardShare): string[][] => [
  ...parts.map(({ name, share, isGuard }) => [isGuard ? `guard: ${name}` : name, percent(share)]),
  ['**guards together**', `**${percent(all)}**`],
]

function memoryText({ measuredAt, minutes, nations, requests, refused, samples }: MemoryResult): string {
  const every = Math.max(1, Math.floor(samples.length / 10))
  const shown = samples.filter((_, index) => index % every === 0 || index === samples.length - 1)
  return `${nations.toLocaleString('en')} nations, ${minutes} minutes on ${measuredAt.slice(0, 10)}, ${requests.toLocaleString('en')} calls, ${refused} of them refused.

${markdownTable([
  ['after', ...shown.map(({ second }) => `${Math.round(second / 60)} min`)],
  ['resident', ...shown.map(({ bytes }) => `${Math.round(bytes / 1e6)} MB`)],
])}`
}
