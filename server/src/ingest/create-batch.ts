import { type Contract, type EventKind, type FactResource, factKeys } from '@chancery/contract'
import type { EventCollector } from '../events/append.ts'
import { type Batch, type Refusal, RefusedBatch } from '../store/batch.ts'
import { type Database, raw, sql } from '../store/database.ts'

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
  const references = new Map<FactResource, Map<string, { line: number; path: string }>>()

  return {
    db,
    contract,
    loggedAt,
    touched: {
      scores: new Set(),
      memberships: new Set(),
      battles: new Set(),
      warNations: new Set(),
      warAlliances: new Set(),
      conflicts: new Set(),
    },

    tell(type, { line, at, nations = [], alliances = [], war = null, conflict = null }, data) {
      const kind = contract.eventKinds[type] as EventKind
      events.add({
        line,
        type,
        occurred_at: at ?? loggedAt,
        summary: kind.summarize(data, { nation: id => id }),
        nation_ids: distinct(nations),
        alliance_ids: distinct(alliances),
        war_id: war,
        conflict_id: conflict,
        data,
      })
    },
    record: draft => events.add(draft),

    noteWorldChange() {
      hasChanged = true
    },
    hasWorldChanged: () => hasChanged,

    refersTo(resource, id, line, path) {
      if (id === null || id === undefined) return
      let ofResource = references.get(resource)
      if (!ofResource) {
        ofResource = new Map()
        references.set(resource, ofResource)
      }
      if (!ofResource.has(id)) ofResource.set(id, { line, path })
    },
    async checkReferences() {
      const refusals: Refusal[] = []
      for (const [resource, ids] of references) {
        for (const id of await unknownIds(db, resource, [...ids.keys()])) {
          const place = ids.get(id)
          if (place) refusals.push({ ...place, reason: `there is no ${resource} ${id}` })
        }
      }
      references.clear()
      if (refusals.length > 0) throw new RefusedBatch(refusals.sort((one, other) => one.line - other.line))
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

async function unknownIds(db: Database, resource: FactResource, ids: string[]): Promise<string[]> {
  const table = raw(`chancery_world.${resource}`)
  const key = raw(factKeys[resource])
  const rows = await db.rows<{ id: string }>(sql`
    select t.id from unnest(${ids}::text[]) as t (id)
    where not exists (select from ${table} k where k.${key} = t.id)
      and not exists (select from chancery_world.tombstone g where g.resource = ${resource} and g.id = t.id)`)
  return rows.map(row => row.id)
}
