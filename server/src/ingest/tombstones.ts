/**
 * Tombstones keep the ids and names of deleted entities: facts may refer to them, and after a reset their ids cannot be used again.
 * This file writes them, checks the references of a batch, and rejects reused ids.
 */
import { type FactResource, primaryKeys } from '@chancery/contract'
import { type Database, raw, sql } from '../store/database.ts'
import { type Batch, BatchRejectedError, type Change, type Rejection } from './batch.ts'
import type { Transition } from './changes.ts'

export async function writeTombstones(
  db: Database,
  resource: string,
  entities: { id: string; name: string | null }[],
  deletedAt: string,
): Promise<void> {
  if (entities.length === 0) return
  await db.rows(sql`
    insert into chancery_world.tombstone (resource, id, name, deleted_at)
    select ${resource}, id, name, ${deletedAt}::timestamptz
    from unnest(${entities.map(({ id }) => id)}::text[], ${entities.map(({ name }) => name)}::text[]) as t (id, name)
    on conflict (resource, id) do update set name = excluded.name, deleted_at = excluded.deleted_at`)
}

/** Removes the tombstones of entities that were put again. Returns which had one: earlier wars and battles may count towards them. */
export async function removeTombstones(
  db: Database,
  resource: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<{ id: string }>(sql`
    delete from chancery_world.tombstone where resource = ${resource} and id = any(${ids}) returning id`)
  return rows.map(row => row.id)
}

/** Ids by resource, and the places of the references to each. */
export type References = Map<FactResource, Map<string, { line: number; path: string }[]>>

/** Without `isEveryPlaceNeeded`, only the first place of each id is reported. */
export function addReference(
  references: References,
  resource: FactResource,
  id: string | null | undefined,
  place: { line: number; path: string },
  isEveryPlaceNeeded: boolean,
): void {
  if (id === null || id === undefined) return
  let ofResource = references.get(resource)
  if (!ofResource) {
    ofResource = new Map()
    references.set(resource, ofResource)
  }
  const places = ofResource.get(id)
  if (!places) ofResource.set(id, [place])
  else if (isEveryPlaceNeeded) places.push(place)
}

/** A rejection for each reference to an entity that does not exist, and, unless `mayBeDeleted`, for each to one that was deleted. */
export async function unknownReferences(
  db: Database,
  references: References,
  { mayBeDeleted }: { mayBeDeleted: boolean },
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  for (const [resource, ids] of references) {
    const table = raw(`chancery_world.${resource}`)
    const key = raw(primaryKeys[resource])
    const rows = await db.rows<{ id: string }>(sql`
      select t.id from unnest(${[...ids.keys()]}::text[]) as t (id)
      where not exists (select from ${table} k where k.${key} = t.id)
        and not (${mayBeDeleted} and exists (select from chancery_world.tombstone g where g.resource = ${resource} and g.id = t.id))`)
    if (rows.length === 0) continue
    const eras = await retiringEras(
      db,
      resource,
      rows.map(({ id }) => id),
    )
    const suggestion = await idSuggestion(db)
    for (const { id } of rows) {
      const era = eras.get(id)
      const reason =
        era === undefined ? `there is no ${resource} ${id}` : retiredReason(resource, id, era, suggestion)
      for (const place of ids.get(id) ?? []) rejections.push({ ...place, reason })
    }
  }
  return rejections
}

const idMax = 64

/** Suggests an id for the current era in place of one that was used before. */
async function idSuggestion(db: Database): Promise<(id: string) => string> {
  const era = await db.first<{ id: string }>(sql`
    select id from chancery_world.era where status = 'active' order by started_at desc nulls last, id desc limit 1`)
  const prefix = era?.id ?? 'new'
  return id => `${prefix}-${id}`.slice(0, idMax)
}

const retiredReason = (
  resource: string,
  id: string,
  era: string,
  suggestion: (id: string) => string,
): string =>
  `${resource} ${id} was retired with era ${era}: give the new one an id of its own, for example ${suggestion(id)}`

/** The eras with which entities of these ids were retired. */
export async function retiringEras(
  db: Database,
  resource: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; era: string }>(sql`
    select id, retired_with as era from chancery_world.tombstone
    where resource = ${resource} and id = any(${[...new Set(ids)]}) and retired_with is not null`)
  return new Map(rows.map(row => [row.id, row.era]))
}

/** @throws {BatchRejectedError} where facts name an entity that was retired by a reset as if it existed. */
export async function rejectRetired(
  db: Database,
  resource: string,
  references: readonly { id: string; line: number; path: string }[],
): Promise<void> {
  if (references.length === 0) return
  const eras = await retiringEras(
    db,
    resource,
    references.map(({ id }) => id),
  )
  if (eras.size === 0) return
  const suggestion = await idSuggestion(db)
  throw new BatchRejectedError(
    references.flatMap(({ id, line, path }): Rejection[] => {
      const era = eras.get(id)
      return era === undefined ? [] : [{ line, path, reason: retiredReason(resource, id, era, suggestion) }]
    }),
  )
}

/** @throws {BatchRejectedError} where changes put an entity that was retired by a reset. */
export const rejectReusedIds = (db: Database, resource: string, changes: readonly Change[]): Promise<void> =>
  rejectRetired(
    db,
    resource,
    changes.filter(({ op }) => op === 'put').map(({ key, line }) => ({ id: key, line, path: '/data/id' })),
  )

interface LastReset {
  era: string
  /** In the time of the game, as text and in Unix ms. */
  at: string
  atMs: number
  loggedAt: string
}

/** The latest reset; undefined where there was none. */
export async function lastReset({ db }: Batch): Promise<LastReset | undefined> {
  const row = await db.first<{ era: string; at: string; loggedAt: string }>(sql`
    select era_id as era, at, logged_at as "loggedAt" from chancery_world.era_reset order by at desc, logged_at desc limit 1`)
  return row && { ...row, atMs: Date.parse(row.at) }
}

/** When a war or battle was, and its nations. */
interface Moment {
  time: string
  nations: string[]
}

export interface HistoryOf<T> {
  resource: 'war' | 'battle'
  momentOf(entity: T): Moment
  /** The places of the time and of a nation, by its number in `nations`, in a fact. */
  paths: { time: string; nation(number: number): string }
}

/** @throws {BatchRejectedError} where transitions turn history from before the last reset into a war or battle of today. */
export type ReuseCheck<T> = (transitions: readonly Transition<T>[]) => Promise<void>

/**
 * Reads tombstones before changes are written, and returns the check of the transitions. The id of a war from before a reset is not
 * the id of a new war: clients would read the history of another. Facts that correct history pass.
 */
export async function prepareReuseCheck<T>(
  batch: Batch,
  { resource, momentOf, paths }: HistoryOf<T>,
  changes: readonly Change[],
): Promise<ReuseCheck<T>> {
  const reset = await lastReset(batch)
  if (!reset) return async () => undefined
  const { era, atMs, loggedAt } = reset
  const deleted = await batch.db.rows<{ id: string }>(sql`
    select id from chancery_world.tombstone
    where resource = ${resource} and id = any(${changes.map(({ key }) => key)}) and deleted_at <= ${loggedAt}`)
  const wasBefore = new Set(deleted.map(({ id }) => id))
  const isPast = ({ time }: Moment) => Date.parse(time) <= atMs

  return async transitions => {
    const put = transitions.flatMap(({ line, key, before, after }) =>
      after ? [{ line, key, before: before && momentOf(before), after: momentOf(after) }] : [],
    )
    const nations = await retiringEras(
      batch.db,
      'nation',
      put.flatMap(({ after }) => after.nations),
    )
    const suggestion = await idSuggestion(batch.db)
    const rejections = put.flatMap(({ line, key, before, after }): Rejection[] => {
      const reused = `${resource} ${key} existed before era ${era} ended: give the new one another id, for example ${suggestion(key)}`
      const isOld = before ? isPast(before) : wasBefore.has(key)
      if (isOld && !isPast(after)) return [{ line, path: paths.time, reason: reused }]
      if (!isPast(after)) {
        const place = after.nations.findIndex(id => nations.has(id))
        const retired = after.nations[place]
        if (retired === undefined) return []
        const reason = retiredReason('nation', retired, nations.get(retired) ?? era, suggestion)
        return [{ line, path: paths.nation(place), reason }]
      }
      if (!isOld || !before) return []
      const other = after.nations.findIndex(id => !before.nations.includes(id) && !nations.has(id))
      return other < 0 ? [] : [{ line, path: paths.nation(other), reason: reused }]
    })
    if (rejections.length > 0) throw new BatchRejectedError(rejections)
  }
}
