import { type Batch, type Change, reject } from '../../ingest/batch.ts'
import { type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createRowRemover, createRowWriter } from '../../ingest/entity-store.ts'
import { raw, sql } from '../../store/database.ts'
import { factColumns, memoizeByContract } from '../../store/fact-columns.ts'

interface Treaty {
  id: string
  alliance_ids: [string, string]
  type: string
  signed_at: string | null
  expires_at: string | null
}

interface AllianceReference {
  alliance_id: string
  name: string
  tag: string
}

/** The two alliances have a column each. */
const tables = memoizeByContract(contract => {
  const { world } = factColumns(contract, 'treaty')
  const own = world.filter(name => name !== 'alliance_ids')
  return {
    select: raw(`
      select ${own.join(', ')}, array[first_alliance_id, second_alliance_id] as alliance_ids
      from chancery_world.treaty where id = any(`),
    write: createRowWriter('chancery_world.treaty', 'id', [
      ...own,
      'first_alliance_id',
      'second_alliance_id',
    ]),
  }
})
const remove = createRowRemover('chancery_world.treaty', 'id')

const store: EntityStore<Treaty> = {
  resource: 'treaty',
  adjust(_batch, { alliance_ids: [first, second] }, before, { line }) {
    if (first === second && before?.alliance_ids.join() !== `${first},${second}`)
      reject(line, '/data/alliance_ids', 'must be two different alliances')
  },
  async load(batch, ids) {
    const rows = await batch.db.rows<Treaty>(sql`${tables(batch).select}${ids})`)
    return new Map(rows.map(row => [row.id, row]))
  },
  save: (batch, treaties) =>
    tables(batch).write(
      batch.db,
      treaties.map(({ alliance_ids: [first, second], ...treaty }) => ({
        ...treaty,
        first_alliance_id: first,
        second_alliance_id: second,
      })),
    ),
  remove: ({ db }, ids) => remove(db, ids),
}

/** Applies facts about treaties. */
export async function applyTreaties(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    if (!Array.isArray(data.alliance_ids)) continue
    for (const id of data.alliance_ids) batch.requireExisting('alliance', id, line, '/data/alliance_ids')
  }
  await emitEvents(batch, await mergeChanges(batch, store, changes))
}

/** Ends the treaties of alliances that a batch deletes. */
export async function endTreatiesOf(batch: Batch, deletes: Change[]): Promise<void> {
  const deleteOf = new Map(deletes.map(change => [change.key, change]))
  const ids = [...deleteOf.keys()]
  const rows = await batch.db.rows<{ id: string; first: string; second: string }>(sql`
    select id, first_alliance_id as first, second_alliance_id as second from chancery_world.treaty
    where first_alliance_id = any(${ids}) or second_alliance_id = any(${ids}) order by id`)
  const changes = rows.flatMap(({ id, first, second }) => {
    const change = deleteOf.get(first) ?? deleteOf.get(second)
    return change ? [{ ...change, key: id }] : []
  })
  await emitEvents(batch, await mergeChanges(batch, store, changes))
}

async function emitEvents(batch: Batch, transitions: Transition<Treaty>[]): Promise<void> {
  if (transitions.length === 0) return
  const ids = new Set(
    transitions.flatMap(({ before, after }) => [
      ...(before?.alliance_ids ?? []),
      ...(after?.alliance_ids ?? []),
    ]),
  )
  const rows = await batch.db.rows<AllianceReference>(sql`
    select id as alliance_id, name, tag from chancery_world.alliance where id = any(${[...ids]})`)
  const names = new Map(rows.map(row => [row.alliance_id, row]))
  const referenceTo = (id: string): AllianceReference => {
    const { name, tag } = names.get(id) ?? { name: id, tag: '' }
    return { alliance_id: id, name, tag }
  }
  for (const { line, before, after, at } of transitions) {
    const treaty = after ?? before
    if (!treaty || (before && after)) continue
    const data = {
      treaty_id: treaty.id,
      type: treaty.type,
      alliances: treaty.alliance_ids.map(referenceTo) as [AllianceReference, AllianceReference],
      signed_at: treaty.signed_at,
      expires_at: treaty.expires_at,
    }
    const metadata = { line, at: after ? (treaty.signed_at ?? at) : at, alliances: treaty.alliance_ids }
    batch.emit(after ? 'treaty.signed' : 'treaty.ended', metadata, data)
  }
}
