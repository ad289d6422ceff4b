import { sql } from '../store/database.ts'
import { type Batch, BatchRejectedError, type Change, type Rejection } from './batch.ts'

/** Where a fact names a thing. */
export interface Reference {
  id: string
  line: number
  path: string
}

const idMax = 64

/** How ids of the era that goes on may be told from those of earlier ones. */
export async function idSuggestion({ db }: Pick<Batch, 'db'>): Promise<(id: string) => string> {
  const era = await db.first<{ id: string }>(sql`
    select id from chancery_world.era where status = 'active' order by started_at desc nulls last, id desc limit 1`)
  const prefix = era?.id ?? 'new'
  return id => `${prefix}-${id}`.slice(0, idMax)
}

/** Why an id cannot be used again, and what to do. */
export const retiredReason = (
  resource: string,
  id: string,
  era: string,
  next: (id: string) => string,
): string =>
  `${resource} ${id} was retired with era ${era}: give the new one an id of its own, for example ${next(id)}`

/** The eras with which things of these ids were retired. */
export async function retiringEras(
  { db }: Pick<Batch, 'db'>,
  resource: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; era: string }>(sql`
    select id, retired_with as era from chancery_world.tombstone
    where resource = ${resource} and id = any(${[...new Set(ids)]}) and retired_with is not null`)
  return new Map(rows.map(row => [row.id, row.era]))
}

/** @throws {BatchRejectedError} where facts name, as if it were there, what was retired when the world began anew. */
export async function rejectRetired(
  batch: Pick<Batch, 'db'>,
  resource: string,
  namings: readonly Reference[],
): Promise<void> {
  if (namings.length === 0) return
  const eras = await retiringEras(
    batch,
    resource,
    namings.map(({ id }) => id),
  )
  if (eras.size === 0) return
  const next = await idSuggestion(batch)
  throw new BatchRejectedError(
    namings.flatMap(({ id, line, path }): Rejection[] => {
      const era = eras.get(id)
      return era === undefined ? [] : [{ line, path, reason: retiredReason(resource, id, era, next) }]
    }),
  )
}

/** @throws {BatchRejectedError} where changes make a thing anew that was retired when the world began anew. */
export const rejectReusedIds = (
  batch: Pick<Batch, 'db'>,
  resource: string,
  changes: readonly Change[],
): Promise<void> =>
  rejectRetired(
    batch,
    resource,
    changes.filter(({ op }) => op === 'put').map(({ key, line }) => ({ id: key, line, path: '/data/id' })),
  )
