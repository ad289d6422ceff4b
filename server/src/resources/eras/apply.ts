import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../store/batch.ts'
import { goneOf, settle, type ThingStore } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'
import { bury, rowRemover, rowWriter, unearth } from '../../store/rows.ts'

type Era = PublicOf<ResourceOf<'era'>>

const write = rowWriter('chancery_world.era', 'id', [
  'id',
  'number',
  'name',
  'status',
  'started_at',
  'ended_at',
  'summary',
  'champion',
])
const remove = rowRemover('chancery_world.era', 'id')

const store: ThingStore<Era> = {
  resource: 'era',
  async load({ db }, ids) {
    const rows = await db.rows<Era>(sql`
      select id, number, name, status, started_at, ended_at, summary, champion from chancery_world.era where id = any(${ids})`)
    return new Map(rows.map(row => [row.id, row]))
  },
  async save({ db }, eras) {
    await write(db, eras)
    await unearth(
      db,
      'era',
      eras.map(era => era.id),
    )
  },
  remove: ({ db }, ids) => remove(db, ids),
}

/** Applies facts about eras. */
export async function applyEras(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const champion = data.champion as Era['champion'] | undefined
    batch.refersTo('alliance', champion?.alliance_id, line, '/data/champion/alliance_id')
  }
  const transitions = await settle(batch, store, changes)
  await bury(
    batch.db,
    'era',
    goneOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
  for (const { line, before, after, at } of transitions) {
    if (!after) continue
    const era = { era_id: after.id, name: after.name }
    const wasBegun = before !== undefined && before.status !== 'upcoming'
    if (!wasBegun && after.status !== 'upcoming') {
      batch.tell('era.started', { line, at: after.started_at ?? at }, { era })
    }
    if (before?.status !== 'ended' && after.status === 'ended') {
      const telling = { line, at: after.ended_at ?? at, alliances: [after.champion?.alliance_id ?? null] }
      batch.tell('era.ended', telling, { era, champion: after.champion })
    }
  }
}
