import type { operations, ValuesFor } from '@chancery/contract'
import { type Sql, sql } from '../store/database.ts'
import { allOf } from '../store/paging.ts'
import { chosenByKinds } from './by-kind.ts'
import type { Span } from './gaps.ts'

/** Filters by what an event is and whom it is about. */
export type Subjects = Pick<
  ValuesFor<typeof operations.eventsList>,
  'type' | 'nation_id' | 'alliance_id' | 'war_id'
>

export const hasSubject = ({ nation_id, alliance_id, war_id }: Subjects) =>
  nation_id !== undefined || alliance_id !== undefined || war_id !== undefined

/** As many events are looked at one by one faster than those of an alliance are found by kind. */
export const fewOfKindMax = 5_000

/** The same where there are at most so many events of the kinds that are asked for: whom they are about stands in themselves. */
export const chosenOfKinds = (kinds: string[], span: Span, { nation_id, alliance_id }: Subjects): Sql =>
  among(
    chosenByKinds(kinds, span, { limit: fewOfKindMax, isOldestFirst: true }),
    isAbout(sql`e.nation_ids`, nation_id),
    isAbout(sql`e.alliance_ids`, alliance_id),
  )

/**
 * The numbers of events about nations, alliances or a war, each once. A war has fewer events than a nation, and a nation fewer than an
 * alliance: the index of the first of them finds the events, and whatever else is asked for is looked up in those.
 */
export function chosenBySubject(span: Span, filter: Subjects): Sql {
  const { type, nation_id, alliance_id, war_id } = filter
  const inSpan = allOf([
    sql`s.seq >= ${span.first} and s.seq <= ${span.last}`,
    type && sql`s.type = any(${type})`,
  ])
  const isAboutNation = isAbout(sql`e.nation_ids`, nation_id)
  const isAboutAlliance = isAbout(sql`e.alliance_ids`, alliance_id)
  if (war_id !== undefined) {
    const found = sql`select s.seq from chancery_world.event s where s.war_id = ${war_id} and ${inSpan}`
    return among(found, isAboutNation, isAboutAlliance)
  }
  if (nation_id) {
    const found = bySubject(sql`chancery_world.event_nation`, sql`s.nation_id`, nation_id, inSpan)
    return among(found, isAboutAlliance)
  }
  return bySubject(sql`chancery_world.event_alliance`, sql`s.alliance_id`, alliance_id ?? [], inSpan)
}

const isAbout = (subjects: Sql, ids: string[] | undefined) => ids && sql`${subjects} ?| ${ids}`

/** Those of some events of which the rest holds as well. */
const among = (found: Sql, ...rest: (Sql | undefined)[]): Sql =>
  rest.some(condition => condition !== undefined)
    ? sql`select e.seq from (${found}) found join chancery_world.event e using (seq) where ${allOf(rest)}`
    : found

/** One event may be about two of those asked for. One value is compared as one: an index then has what follows in order. */
function bySubject(table: Sql, column: Sql, ids: string[], inSpan: Sql): Sql {
  return ids.length === 1
    ? sql`select s.seq from ${table} s where ${column} = ${ids[0]} and ${inSpan}`
    : sql`select distinct s.seq from ${table} s where ${column} = any(${ids}) and ${inSpan}`
}
