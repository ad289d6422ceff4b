import type { Timing } from './asking.ts'
import { furtherDayText } from './further-day.ts'
import type { Measured, Place } from './measure.ts'
import { bounds, flatness, judge } from './verdicts.ts'

/** What was measured of one world. */
export interface WorldResult {
  nations: number
  events: number
  wars: number
  /** Facts a second of a further day, and what a bare COPY of such rows takes in. */
  ingest: { factsPerSecond: number; copyFactsPerSecond: number } | undefined
  measured: Measured[]
}

export interface Result {
  measuredAt: string
  machine: string
  /** Of the machine before the first measurement: what else ran. */
  load: number
  command: string
  worlds: WorldResult[]
}

const places: Place[] = ['first', 'middle', 'last']
const keyOf = ({ operation, name }: Measured) => `${operation} ${name}`
const shownMs = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))
const cell = (timing: Timing | undefined) => (timing ? `${shownMs(timing.p50)} / ${shownMs(timing.p99)}` : '')

/** What did not keep its promise in the largest world. */
export function missesOf({ worlds }: Result): { question: string; why: string }[] {
  const [small, large] = [worlds[0], worlds.at(-1)]
  return (large?.measured ?? []).flatMap(measured => {
    const { isMet, why } = judge(measured, small && alike(small, measured))
    return isMet ? [] : [{ question: keyOf(measured), why }]
  })
}

/** The same question of another world, whatever values it was asked with. */
const alike = (world: WorldResult, { operation, order }: Measured) =>
  world.measured.find(other => other.operation === operation && other.order === order)

/** The page for operators. */
export function pageOf(result: Result): string {
  const { worlds, measuredAt, machine, load, command } = result
  const large = worlds.at(-1)
  const misses = missesOf(result)
  return `# What a larger world costs

Written by \`${command}\` on ${measuredAt.slice(0, 10)}: ${machine}; the load of the machine was ${load.toFixed(1)} before the first measurement. Service, database and whoever asks share it.

One question is asked after the other on one connection, each as nobody asked it before, so that no answer is remembered: pages have from 100 items down to 52, one less each time. A cell is the median and the p99 in milliseconds; where a page was asked for less than a hundred times, the p99 is the slowest. The database holds in memory what it is asked for often.

![Cost against size](growth.svg)

## The worlds

| Nations | Wars | Events | Facts a second | A bare COPY of such rows |
| ---: | ---: | ---: | ---: | ---: |
${worlds.map(({ nations, wars, events, ingest }) => `| ${nations.toLocaleString('en')} | ${wars.toLocaleString('en')} | ${events.toLocaleString('en')} | ${ingest ? ingest.factsPerSecond.toLocaleString('en') : ''} | ${ingest ? `${ingest.copyFactsPerSecond.toLocaleString('en')} (${(ingest.copyFactsPerSecond / ingest.factsPerSecond).toFixed(1)} times)` : ''} |`).join('\n')}

Facts a second are those of a further day, the same for all worlds: ${furtherDayText}. The COPY writes the rows that such facts leave behind into empty tables of the same shape; it checks nothing and looks nothing up.

## Flat

Page 1, a middle page and the last page, within ${flatness.factor} times of each other and of the smallest world's, or ${flatness.ms} ms.

${tableOf(worlds, measured => measured.promised !== 'bounded', places)}

## Bounded

Everything else: at most ${bounds.first} ms for page 1 and ${bounds.any} ms for any page. One filter each; the combinations come after.

${tableOf(worlds, measured => measured.promised === 'bounded' && measured.filters < 2, places)}

${misses.length === 0 ? 'All of this, and every combination of filters, keeps its bounds in the largest world.' : `Beyond their bounds in the largest world, combinations included:\n\n${misses.map(({ question, why }) => `- ${question}: ${why}`).join('\n')}`}

## Combinations of filters

In the world of ${large?.nations.toLocaleString('en')} nations.

${tableOf(large ? [large] : [], measured => measured.filters > 1, places)}
`
}

/** A row for each question, a column for each page of each world. */
function tableOf(worlds: WorldResult[], isIn: (measured: Measured) => boolean, shown: Place[]): string {
  const large = worlds.at(-1)
  if (!large) return ''
  const heads = worlds.flatMap(({ nations }) =>
    shown.map(place => `${nations.toLocaleString('en')}: ${place}`),
  )
  const rows = large.measured.filter(isIn).map(measured => {
    const cells = worlds.flatMap(world => shown.map(place => cell(alike(world, measured)?.pages[place])))
    return `| ${measured.operation} | ${measured.name.replaceAll('|', '\\|')} | ${measured.total?.toLocaleString('en') ?? ''} | ${cells.join(' | ')} |`
  })
  return [
    `| Operation | Asked | Total | ${heads.join(' | ')} |`,
    `| --- | --- | ---: | ${heads.map(() => '---:').join(' | ')} |`,
    ...rows,
  ].join('\n')
}
