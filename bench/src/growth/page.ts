import { type Machine, machineText } from '../machine.ts'
import { furtherDayText } from './facts.ts'
import { bounds, flatness, type Measured, missOf, type Place } from './measure.ts'

export interface WorldResult {
  nations: number
  events: number
  wars: number
  /** Of a further day, beside a bare COPY of its rows. */
  ingest: { factsPerSecond: number; copyFactsPerSecond: number } | undefined
  measured: Measured[]
}

export interface GrowthResults {
  measuredOn: string
  command: string
  machine: Machine
  worlds: WorldResult[]
}

const places: Place[] = ['first', 'middle', 'last']
const count = (value: number | undefined) => value?.toLocaleString('en') ?? ''
const shownMs = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))

/** The same query in another world, whatever its values. */
const sameQuery = (world: WorldResult | undefined, { operation, order }: Measured) =>
  world?.measured.find(other => other.operation === operation && other.order === order)

/** docs/operations/growth.md. */
export function pageOf({ worlds, measuredOn, machine, command }: GrowthResults): string {
  const large = worlds.at(-1)
  const misses = (large?.measured ?? []).flatMap(measured => {
    const miss = missOf(measured, sameQuery(worlds[0], measured))
    return miss === undefined ? [] : [`- ${measured.operation} ${measured.name}: ${miss}`]
  })
  return `# What a larger world costs

Written by \`${command}\` on ${measuredOn}: ${machineText(machine)}; load average ${machine.loadBefore.toFixed(1)} before the run. Service, database and client share the machine.

Queries run one after another on one connection. No response comes from the cache: each page is requested with another size, from 100 items down to 52. A cell is the median and the p99 in milliseconds; with fewer than a hundred samples, the p99 is the slowest. The database has its frequently used pages in memory.

## The worlds

| Nations | Wars | Events | Facts a second | A bare COPY of such rows |
| ---: | ---: | ---: | ---: | ---: |
${worlds.map(({ nations, wars, events, ingest }) => `| ${count(nations)} | ${count(wars)} | ${count(events)} | ${count(ingest?.factsPerSecond)} | ${ingest ? `${count(ingest.copyFactsPerSecond)} (${(ingest.copyFactsPerSecond / ingest.factsPerSecond).toFixed(1)} times)` : ''} |`).join('\n')}

Facts a second are those of a further day, the same for all worlds: ${furtherDayText}. The COPY writes the rows that such facts leave behind into empty tables of the same shape, without checks or lookups.

## Flat

Page 1, a middle page and the last page, within ${flatness.factor} times of each other and of the smallest world's, or ${flatness.ms} ms.

${tableOf(worlds, ({ cost }) => cost !== 'bounded')}

## Bounded

Everything else: at most ${bounds.first} ms for page 1 and ${bounds.any} ms for any page. One filter each; combinations follow.

${tableOf(worlds, ({ cost, filters }) => cost === 'bounded' && filters < 2)}

${misses.length === 0 ? 'All queries, and every combination of filters, are within their bounds in the largest world.' : `Beyond their bounds in the largest world, combinations included:\n\n${misses.join('\n')}`}

## Combinations of filters

In the world of ${count(large?.nations)} nations.

${tableOf(large ? [large] : [], ({ filters }) => filters > 1)}
`
}

/** A row for each query, a column for each page of each world. */
function tableOf(worlds: WorldResult[], isShown: (measured: Measured) => boolean): string {
  const columns = worlds.flatMap(world => places.map(place => ({ world, place })))
  const rows = (worlds.at(-1)?.measured ?? []).filter(isShown).map(measured => {
    const cells = columns.map(({ world, place }) => {
      const timing = sameQuery(world, measured)?.pages[place]
      return timing ? `${shownMs(timing.p50)} / ${shownMs(timing.p99)}` : ''
    })
    return `| ${measured.operation} | ${measured.name.replaceAll('|', '\\|')} | ${count(measured.total)} | ${cells.join(' | ')} |`
  })
  return [
    `| Operation | Query | Total | ${columns.map(({ world, place }) => `${count(world.nations)}: ${place}`).join(' | ')} |`,
    `| --- | --- | ---: | ${columns.map(() => '---:').join(' | ')} |`,
    ...rows,
  ].join('\n')
}
