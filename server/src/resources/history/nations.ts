/**
 * Points of nations: a row has one day of a block of nations, each at the place of its number. The low bytes of a nation's four numbers are
 * in `low`, where they hardly compress, the others in `high`, which are nearly all equal and compress to almost nothing.
 */
import type { operations, PublicOf, ResourceOf, ValuesFor } from '@chancery/contract'
import { notFound } from '../../http/http-error.ts'
import { type Database, join, raw, type Sql, sql } from '../../store/database.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { offsetOf, type Page } from '../../store/paging.ts'
import { firstDayAt } from './days.ts'

export type NationHistoryPoint = PublicOf<ResourceOf<'nation_history_point'>>

/** Three rows fill a page of 8 kB: measured in docs/decisions/0051. A row of less than 2 kB would not be compressed. */
export const blockLength = 232

/** Scores have at most 4 decimals. */
const units = 'floor(coalesce(p.national_score, 0) * 10000)'

/** The numbers of a point, big-endian, and how many of their bytes are in `high` and in `low`. */
const parts = {
  score: {
    // The high half of a score of 10^15 and more than 19 digits of units is no bigint in one piece.
    bytes: `int8send(floor(${units} / 4294967296)::bigint) || substring(int8send((${units} - floor(${units} / 4294967296) * 4294967296)::bigint) from 5)`,
    high: 7,
    low: 5,
  },
  /** 0 for no point. */
  rank: { bytes: 'int8send(coalesce(p.rank, 0))', high: 5, low: 3 },
  /** One more than the number of cities; 0 for unknown. */
  cities: { bytes: 'int8send(coalesce(p.city_count + 1, 0))', high: 7, low: 1 },
  /** One more than the number of the alliance; 0 for none. */
  alliance: { bytes: 'int8send(coalesce(a.number + 1, 0)::bigint)', high: 6, low: 2 },
}

const lengthOf = (place: 'high' | 'low') => Object.values(parts).reduce((sum, part) => sum + part[place], 0)
const lengths = { high: lengthOf('high'), low: lengthOf('low') }

const columns = raw(
  Object.entries(parts)
    .map(([name, { bytes }]) => `${bytes} as ${name}`)
    .join(', '),
)
const bytesOf = (place: 'high' | 'low') =>
  raw(
    Object.entries(parts)
      .map(([name, { high, low }]) =>
        place === 'high'
          ? `substring(${name} from 1 for ${high})`
          : `substring(${name} from ${high + 1} for ${low})`,
      )
      .join(' || '),
  )

/**
 * Writes the points of a day. `ranked`: a query with the columns nation_id, rank, national_score, city_count and alliance_id. Nations have
 * their numbers. A day that is there already is kept.
 */
export async function writeNationPoints(db: Database, day: string, ranked: Sql): Promise<void> {
  await db.rows(sql`
    insert into chancery_world.nation_history (block, day, low, high)
    select number / ${raw(`${blockLength}`)}, ${day}::date, string_agg(${bytesOf('low')}, '' order by number),
      string_agg(${bytesOf('high')}, '' order by number)
    from (
      select k.number, p.rank is not null as is_ranked, ${columns}
      from chancery_world.nation_history_number k left join (${ranked}) p on p.nation_id = k.nation_id and k.freed_on is null
      left join chancery_world.alliance_history_number a on a.alliance_id = p.alliance_id and a.freed_on is null
    ) point
    group by 1 having bool_or(is_ranked)
    on conflict do nothing`)
}

interface StoredPoint {
  date: string
  low: Buffer
  high: Buffer
}

/** The points of a nation, oldest first. Days are bounded by the retention, so all of the range are read. */
export async function listNationHistory(
  { pools: { public: db } }: ReadContext,
  { id, from, to, ...request }: ValuesFor<typeof operations.nationsHistory>,
): Promise<Page<NationHistoryPoint>> {
  const nation = await db.first<{ number: number | null }>(sql`
    select k.number from chancery_world.nation n
    left join chancery_world.nation_history_number k on k.nation_id = n.id and k.freed_on is null
    where n.id = ${id}`)
  if (!nation) throw notFound('nation')
  if (nation.number === null) return { items: [], total: 0 }
  const [block, place] = [Math.floor(nation.number / blockLength), nation.number % blockLength]
  const part = (name: 'high' | 'low') =>
    sql`substring(${raw(name)} from ${place * lengths[name] + 1}::integer for ${lengths[name]}::integer) as ${raw(name)}`
  const rows = await db.rows<StoredPoint>(sql`
    select day as date, ${join([part('low'), part('high')])} from chancery_world.nation_history
    where block = ${block} and day >= ${firstDayAt(from) ?? '-infinity'}::date and day < ${firstDayAt(to) ?? 'infinity'}::date
    order by day`)
  // A block that was last before newer numbers is shorter.
  const points = rows
    .filter(({ low }) => low.length > 0)
    .map(decode)
    .filter(({ rank }) => rank > 0)
  const items = points.slice(offsetOf(request), offsetOf(request) + request.limit)
  const alliances = await alliancesOf(db, items)
  return {
    items: items.map(({ alliance, ...point }) => ({
      ...point,
      alliance_id: alliance === undefined ? null : (alliances.get(alliance) ?? null),
    })),
    total: points.length,
  }
}

type DecodedPoint = Omit<NationHistoryPoint, 'alliance_id'> & { alliance: number | undefined }

function decode({ date, low, high }: StoredPoint): DecodedPoint {
  const at = { high: 0, low: 0 }
  const next = (part: { high: number; low: number }): bigint => {
    const bytes = Buffer.concat([
      high.subarray(at.high, at.high + part.high),
      low.subarray(at.low, at.low + part.low),
    ])
    at.high += part.high
    at.low += part.low
    return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
  }
  // The nearest number to the decimal: a division would round twice.
  const national_score = Number(`${next(parts.score)}e-4`)
  const rank = Number(next(parts.rank))
  const cities = Number(next(parts.cities))
  const alliance = Number(next(parts.alliance))
  return {
    date,
    national_score,
    rank,
    city_count: cities === 0 ? null : cities - 1,
    alliance: alliance === 0 ? undefined : alliance - 1,
  }
}

async function alliancesOf(db: Database, points: readonly DecodedPoint[]): Promise<Map<number, string>> {
  const numbers = [...new Set(points.flatMap(({ alliance }) => alliance ?? []))]
  if (numbers.length === 0) return new Map()
  const rows = await db.rows<{ number: number; alliance_id: string }>(sql`
    select number, alliance_id from chancery_world.alliance_history_number where number = any(${numbers}::integer[])`)
  return new Map(rows.map(({ number, alliance_id }) => [number, alliance_id]))
}
