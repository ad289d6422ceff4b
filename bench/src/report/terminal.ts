import { verdictsOn } from './goals.ts'
import { memoryTrendOf } from './memory-trend.ts'
import type { GuardShare, Results } from './results.ts'
import { headOfWork, rowsOfWork } from './rows.ts'
import { columns } from './table.ts'

/** The tables as text. */
export function terminalText(results: Results): string {
  const { machine, works, world, leftOut, guards, memory } = results
  const parts = [
    `${machine.cpus} × ${machine.model}; ${Object.entries(machine.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}
${world.nations} nations, ${world.wars} wars, ${world.events} events. ${results.rounds} rounds of ${results.seconds} s, ${results.connections} connections.
The load of the machine was ${machine.load.before.toFixed(1)} before and ${machine.load.after.toFixed(1)} after.`,
    ...works.map(work => `${work.title}\n${columns([headOfWork(work), ...rowsOfWork(results, work)])}`),
  ]
  if (guards)
    parts.push(
      `What a busy service spends its time on, and the guards together\n${columns([
        ...shareRows('without keys', guards.anonymous),
        ...shareRows('with keys', guards.withKeys),
      ])}`,
    )
  if (memory)
    parts.push(
      `What a process held after each minute of ${memory.minutes}, in MB\n${memoryTrendOf(memory.samples)
        .minutes.map(bytes => (bytes / 1e6).toFixed(0))
        .join(' ')}`,
    )
  const verdicts = verdictsOn(results)
  if (verdicts.length > 0)
    parts.push(
      columns([
        ['Goals', 'measured', 'by processor time'],
        ...verdicts.map(({ goal, measured, byProcessorTime, isMet }) => [
          `${isMet ? 'met   ' : 'MISSED'}  ${goal}`,
          measured,
          byProcessorTime,
        ]),
      ]),
    )
  if (leftOut.length > 0)
    parts.push(`Left out\n${leftOut.map(({ title, why }) => `${title}: ${why}`).join('\n')}`)
  return `\n${parts.join('\n\n')}\n`
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const shareRows = (callers: string, { all, parts }: GuardShare): string[][] => [
  [`callers ${callers}`, percent(all)],
  ...parts.map(({ name, share, isGuard }) => [`  ${isGuard ? 'guard' : 'rest '}  ${name}`, percent(share)]),
]
