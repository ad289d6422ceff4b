import { count as counted, machineText } from '../machine.ts'
import { markdownTable } from '../report/markdown.ts'
import { furtherDayText } from './facts.ts'
import type { GrowthResults, MeasuredQuery, Place, WorldResult } from './growth.ts'

const places: Place[] = ['first', 'middle', 'last']
const count = (value: number | undefined) => (value === undefined ? '' : counted(value))

/** Milliseconds that the p99 of a first page and of any other page may take. */
const bounds = { first: 150, any: 600 }
/** A list is flat if its pages, and the first one of the smallest world, are within this factor of each other or this many milliseconds. */
const flatness = { factor: 1.3, ms: 1 }

/** What a query misses of its cost class, or undefined. `small`: the same query in the smallest world. */
function missOf({ failure, cost, pages }: MeasuredQuery, small?: MeasuredQuery): string | undefined {
  if (failure !== undefined) return failure.slice(0, 200)
  if (cost === 'bounded') {
    const slow = Object.entries(pages).find(
      ([place, { p99 }]) => p99 > (place === 'first' ? bounds.first : bounds.any),
    )
    return slow && `the ${slow[0]} page takes ${slow[1].p99.toFixed(0)} ms`
  }
  // By medians: a p99 of a millisecond is the machine's.
  const costs = Object.entries(pages).map(([place, { p50 }]) => ({ name: `${place} page`, ms: p50 }))
  if (small?.pages.first) costs.push({ name: 'small world', ms: small.pages.first.p50 })
  costs.sort((one, other) => one.ms - other.ms)
  const [least, most] = [costs.at(0), costs.at(-1)]
  if (!least || !most || most.ms <= least.ms * flatness.factor || most.ms - least.ms <= flatness.ms)
    return undefined
  return `${most.name} ${most.ms.toFixed(1)} ms, ${least.name} ${least.ms.toFixed(1)} ms`
}

/** The same query in another world, whatever its values. */
const sameQuery = (world: WorldResult | undefined, { operation, order }: MeasuredQuery) =>
  world?.measured.find(other => other.operation === operation && other.order === order)

/** docs/operations/growth.md. */
export function growthPage({ worlds, measuredOn, machine, command }: GrowthResults): string {
  const large = worlds.at(-1)
  const misses = (large?.measured ?? []).flatMap(measured => {
    const miss = missOf(measured, sameQuery(worlds[0], measured))
    return miss === undefined ? [] : [`- ${measured.operation} ${measured.name}: ${miss}`]
  })
  const worldRows = worlds.map(({ nations, wars, events, ingest }) => {
    const { factsPerSecond, copyFactsPerSecond } = ingest || {}
    const times = factsPerSecond && copyFactsPerSecond && (copyFactsPerSecond / factsPerSecond).toFixed(1)
    const copy = times ? `${count(copyFactsPerSecond)} (${times} times)` : ''
    return [count(nations), count(wars), count(events), count(factsPerSecond), copy]
  })
  return `# Growth

Written by \`${command}\` on ${measuredOn}: ${machineText(machine)}; load average ${machine.loadBefore.toFixed(1)} before the run. Service, database and client share the machine.

Queries run one after another on one connection. No response comes from the cache: each page is requested with another size, from 100 items down to 52. A cell is the median and the p99 in milliseconds; with fewer than a hundred samples, the p99 is the slowest. The database has its frequently used pages in memory.

## The worlds

${markdownTable([['Nations', 'Wars', 'Events', 'Facts a second', 'A bare COPY of such rows'], ...worldRows])}

Facts a second are those of a further day, the same for all worlds: ${furtherDayText}. The COPY writes the rows that such facts leave behind into empty tables of the same shape, without checks or lookups.

## Cost independent of page and size

Page 1, a middle page and the last page, within ${flatness.factor} times of each other and of the smallest world's, or ${flatness.ms} ms.

${tableOf(worlds, ({ cost }) => cost !== 'bounded')}

## Cost with an upper bound

Everything else: at most ${bounds.first} ms for page 1 and ${bounds.any} ms for any page. One filter each; combinations follow.

${tableOf(worlds, ({ cost, filters }) => cost === 'bounded' && filters < 2)}

${misses.length === 0 ? 'All queries, and every combination of filters, are within their bounds in the largest world.' : `Beyond their bounds in the largest world, combinations included:\n\n${misses.join('\n')}`}

## Combinations of filters

In the world of ${count(large?.nations)} nations.

${tableOf(large ? [large] : [], ({ filters }) => filters > 1)}
`
}

const shownMs = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))

/** A row for each query, a column for each page of each world. */
function tableOf(worlds: WorldResult[], isShown: (measured: MeasuredQuery) => boolean): string {
  const columns = worlds.flatMap(world => places.map(place => ({ world, place })))
  const rows = (worlds.at(-1)?.measured ?? []).filter(isShown).map(measured => [
    measured.operation,
    measured.name.replaceAll('|', '\\|'),
    count(measured.total),
    ...columns.map(({ world, place }) => {
      const timing = sameQuery(world, measured)?.pages[place]
      return timing ? `${shownMs(timing.p50)} / ${shownMs(timing.p99)}` : ''
    }),
  ])
  const head = columns.map(({ world, place }) => `${count(world.nations)}: ${place}`)
  return markdownTable([['Operation', 'Query', 'Total', ...head], ...rows], 2)
}
