import { type Batch, type Change, type Refusal, RefusedBatch } from './batch.ts'
import { sql } from './database.ts'

/** Where a fact names a thing. */
export interface Naming {
  id: string
  line: number
  path: string
}

const idMax = 64

/** How ids of the era that goes on may be told from those of earlier ones. */
export async function idOfNext({ db }: Pick<Batch, 'db'>): Promise<(id: string) => string> {
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
export async function retiredWith(
  { db }: Pick<Batch, 'db'>,
  resource: string,
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const rows = await db.rows<{ id: string; era: string }>(sql`
    select id, retired_with as era from chancery_world.tombstone
    where resource = ${resource} and id = any(${[...new Set(ids)]}) and retired_with is not null`)
  return new Map(rows.map(row => [row.id, row.era]))
}

/** @throws {RefusedBatch} where facts name, as if it were there, what was retired when the world began anew. */
export async function refuseRetired(
  batch: Pick<Batch, 'db'>,
  resource: string,
  namings: readonly Naming[],
): Promise<void> {
  if (namings.length === 0) return
  const eras = await retiredWith(
    batch,
    resource,
    namings.map(({ id }) => id),
  )
  if (eras.size === 0) return
  const next = await idOfNext(batch)
  throw new RefusedBatch(
    namings.flatMap(({ id, line, path }): Refusal[] => {
      const era = eras.get(id)
      return era === undefined ? [] : [{ line, path, reason: retiredReason(resource, id, era, next) }]
    }),
  )
}

/** @throws {RefusedBatch} where changes make a thing anew that was retired when the world began anew. */
export const refuseReused = (
  batch: Pick<Batch, 'db'>,
  resource: string,
  changes: readonly Change[],
): Promise<void> =>
  refuseRetired(
    batch,
    resource,
    changes.filter(({ op }) => op === 'put').map(({ key, line }) => ({ id: key, line, path: '/data/id' })),
  )
