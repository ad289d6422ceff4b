import { sql } from '../store/database.ts'
import { type Batch, BatchRejectedError, type Change, type Rejection } from './batch.ts'
import type { Transition } from './changes.ts'
import { idSuggestion, retiredReason, retiringEras } from './reused-ids.ts'

/** When a thing of the history was, and which nations it is about. */
export interface Moment {
  time: string
  nations: string[]
}

export interface HistoryOf<T> {
  resource: 'war' | 'battle'
  momentOf(thing: T): Moment
  /** Where a fact says so. */
  paths: { time: string; nation: string }
}

/** Refuses what would turn something from before the world began anew into something of today. */
export type ReuseCheck<T> = (transitions: readonly Transition<T>[]) => Promise<void>

interface LastReset {
  era: string
  /** In the time of the game, as text and in Unix ms. */
  at: string
  atMs: number
  loggedAt: string
}

/** When the world began anew the last time; undefined where it never did. */
export async function lastReset({ db }: Batch): Promise<LastReset | undefined> {
  const row = await db.first<{ era: string; at: string; loggedAt: string }>(sql`
    select era_id as era, at, logged_at as "loggedAt" from chancery_world.era_reset order by at desc, logged_at desc limit 1`)
  return row && { ...row, atMs: Date.parse(row.at) }
}

/**
 * Looks at what is known before changes are written, and returns the check of what they did. An id that was a war of an era that has
 * ended is not the id of a new war: else its history would be told of another. Facts that correct history pass.
 */
export async function prepareReuseCheck<T>(
  batch: Batch,
  { resource, momentOf, paths }: HistoryOf<T>,
  changes: readonly Change[],
): Promise<ReuseCheck<T>> {
  const reset = await lastReset(batch)
  if (!reset) return async () => undefined
  const { era, atMs, loggedAt } = reset
  const buried = await batch.db.rows<{ id: string }>(sql`
    select id from chancery_world.tombstone
    where resource = ${resource} and id = any(${changes.map(({ key }) => key)}) and deleted_at <= ${loggedAt}`)
  const wasBefore = new Set(buried.map(({ id }) => id))
  const isPast = ({ time }: Moment) => Date.parse(time) <= atMs

  return async transitions => {
    const put = transitions.flatMap(({ line, key, before, after }) =>
      after ? [{ line, key, before: before && momentOf(before), after: momentOf(after) }] : [],
    )
    const nations = await retiringEras(
      batch,
      'nation',
      put.flatMap(({ after }) => after.nations),
    )
    const next = await idSuggestion(batch)
    const rejections = put.flatMap(({ line, key, before, after }): Rejection[] => {
      const reused = `${resource} ${key} was there before era ${era} ended: give the new one an id of its own, for example ${next(key)}`
      const isOld = before ? isPast(before) : wasBefore.has(key)
      if (isOld && !isPast(after)) return [{ line, path: paths.time, reason: reused }]
      if (!isPast(after)) {
        const retired = after.nations.find(id => nations.has(id))
        if (retired === undefined) return []
        const reason = retiredReason('nation', retired, nations.get(retired) ?? era, next)
        return [{ line, path: paths.nation, reason }]
      }
      const isOthers = isOld && before?.nations.some((id, side) => id !== after.nations[side])
      return isOthers && after.nations.some(id => !before?.nations.includes(id) && !nations.has(id))
        ? [{ line, path: paths.nation, reason: reused }]
        : []
    })
    if (rejections.length > 0) throw new BatchRejectedError(rejections)
  }
}
