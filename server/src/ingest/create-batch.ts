import { type Contract, type EventKind, type FactResource, primaryKeys } from '@chancery/contract'
import type { EventCollector } from '../events/event-collector.ts'
import { type Database, raw, sql } from '../store/database.ts'
import { type Batch, BatchRejectedError, type Rejection } from './batch.ts'
import { idSuggestion, retiredReason, retiringEras } from './reused-ids.ts'

/** Ids by resource, and where each was first referred to. */
type References = Map<FactResource, Map<string, { line: number; path: string }>>

/** A batch at work: what every `apply` sees, and what only the one who runs it may do. */
export interface RunningBatch extends Batch {
  hasWorldChanged(): boolean
  /** Refuses the batch where something was referred to that neither is nor was. */
  checkReferences(): Promise<void>
}

export function createBatch(
  db: Database,
  contract: Contract,
  loggedAt: string,
  events: EventCollector,
): RunningBatch {
  let hasChanged = false
  const referredTo: References = new Map()
  const needed: References = new Map()

  return {
    db,
    contract,
    loggedAt,
    dirty: {
      hasUnindexedNations: false,
      battles: new Set(),
      warNations: new Set(),
      nationWars: new Map(),
      warAlliances: new Set(),
      allianceWars: new Map(),
      conflictWars: new Set(),
      conflictSides: new Set(),
      newConflicts: new Set(),
    },

    emit(type, { line, at, nations = [], alliances = [], war = null, conflict = null }, data) {
      const { summarize } = contract.eventKinds[type] as EventKind
      events.add({
        line,
        type,
        occurred_at: at ?? loggedAt,
        summary: summarize?.(data) ?? type,
        nation_ids: distinct(nations),
        alliance_ids: distinct(alliances),
        war_id: war,
        conflict_id: conflict,
        data,
      })
    },
    emitFromGame: draft => events.add(draft),

    markWorldChanged() {
      hasChanged = true
    },
    hasWorldChanged: () => hasChanged,

    requireKnown: (resource, id, line, path) => addReference(referredTo, resource, id, { line, path }),
    requireExisting: (resource, id, line, path) => addReference(needed, resource, id, { line, path }),
    async checkReferences() {
      const rejections = [
        ...(await findMissing(db, referredTo, { mayBeGone: true })),
        ...(await findMissing(db, needed, { mayBeGone: false })),
      ]
      referredTo.clear()
      needed.clear()
      if (rejections.length > 0)
        throw new BatchRejectedError(rejections.sort((one, other) => one.line - other.line))
    },

    async nationNames(ids) {
      const rows = await db.rows<{ id: string; name: string }>(sql`
        select id, nation_name as name from chancery_world.nation where id = any(${[...new Set(ids)]})
        union all
        select id, name from chancery_world.tombstone where resource = 'nation' and id = any(${[...new Set(ids)]})`)
      return new Map(rows.map(row => [row.id, row.name]))
    },
  }
}

const distinct = (ids: (string | null)[]) => [...new Set(ids.filter(id => id !== null))]

function addReference(
  references: References,
  resource: FactResource,
  id: string | null | undefined,
  place: { line: number; path: string },
): void {
  if (id === null || id === undefined) return
  let ofResource = references.get(resource)
  if (!ofResource) {
    ofResource = new Map()
    references.set(resource, ofResource)
  }
  if (!ofResource.has(id)) ofResource.set(id, place)
}

async function findMissing(
  db: Database,
  references: References,
  { mayBeGone }: { mayBeGone: boolean },
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  for (const [resource, ids] of references) {
    const table = raw(`chancery_world.${resource}`)
    const key = raw(primaryKeys[resource])
    const rows = await db.rows<{ id: string }>(sql`
      select t.id from unnest(${[...ids.keys()]}::text[]) as t (id)
      where not exists (select from ${table} k where k.${key} = t.id)
        and not (${mayBeGone} and exists (select from chancery_world.tombstone g where g.resource = ${resource} and g.id = t.id))`)
    if (rows.length === 0) continue
    const eras = await retiringEras(
      { db },
      resource,
      rows.map(({ id }) => id),
    )
    const next = await idSuggestion({ db })
    for (const { id } of rows) {
      const place = ids.get(id)
      const era = eras.get(id)
      const reason =
        era === undefined ? `there is no ${resource} ${id}` : retiredReason(resource, id, era, next)
      if (place) rejections.push({ ...place, reason })
    }
  }
  return rejections
}
