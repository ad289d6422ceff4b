import type { PublicOf, ReadableOf, ResourceOf } from '@chancery/contract'
import type { SplitAttributes } from '../../store/attributes.ts'
import type { Batch, Change } from '../../store/batch.ts'
import { goneOf, rebornOf, settle, type ThingStore, type Transition } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'
import { refuseReused } from '../../store/reused-ids.ts'
import { bury, rowRemover, rowWriter, unearth } from '../../store/rows.ts'
import { searchText } from '../../store/search-text.ts'
import { secretRow, twoTables } from '../../store/table-store.ts'

type Alliance = Pick<
  PublicOf<ResourceOf<'alliance'>>,
  | 'id'
  | 'name'
  | 'tag'
  | 'color'
  | 'flag_url'
  | 'description'
  | 'founded_at'
  | 'recruiting'
  | 'updated_at'
  | 'attributes'
> &
  Required<Pick<ReadableOf<ResourceOf<'alliance'>>, 'treasury'>> & {
    moderation_notes: string | null
  } & Omit<SplitAttributes, 'attributes'>

const tables = twoTables(
  'alliance',
  'chancery_world.alliance',
  { table: 'chancery_secret.alliance_private', key: 'alliance_id', isNested: true },
  rowWriter,
  ['search_text'],
)
const removeAlliances = rowRemover('chancery_world.alliance', 'id')
const removeSecrets = rowRemover('chancery_secret.alliance_private', 'alliance_id')
const removeYesterday = rowRemover('chancery_world.alliance_yesterday', 'alliance_id')

const store: ThingStore<Alliance> = {
  resource: 'alliance',

  async load(batch, ids) {
    const rows = await batch.db.rows<Alliance>(sql`${tables(batch).select}${ids})`)
    return new Map(rows.map(row => [row.id, row]))
  },

  async save(batch, alliances) {
    const { db, touched } = batch
    const { write, writeSecrets } = tables(batch)
    await write(
      db,
      alliances.map(alliance => ({ ...alliance, search_text: searchText(alliance.name, alliance.tag) })),
    )
    await writeSecrets(
      db,
      alliances.map(alliance => secretRow('alliance_id', alliance.id, alliance)),
    )
    const back = await unearth(
      db,
      'alliance',
      alliances.map(alliance => alliance.id),
    )
    for (const id of back) touched.warAlliances.add(id)
  },

  async remove({ db }, ids) {
    await removeAlliances(db, ids)
    await removeSecrets(db, ids)
    await removeYesterday(db, ids)
  },
}

const referenceTo = ({ id, name, tag }: Alliance) => ({ alliance_id: id, name, tag })

/** Applies facts about alliances. */
export async function applyAlliances(batch: Batch, changes: Change[]): Promise<void> {
  await refuseReused(batch, 'alliance', changes)
  const transitions = await settle(batch, store, changes)
  for (const id of rebornOf(transitions)) batch.touched.warAlliances.add(id)
  await bury(
    batch.db,
    'alliance',
    goneOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
  for (const transition of transitions) tell(batch, transition)
}

function tell(batch: Batch, { line, before, after, at }: Transition<Alliance>): void {
  if (after && !before) {
    const telling = { line, at: after.founded_at ?? at, alliances: [after.id] }
    batch.tell('alliance.founded', telling, { alliance: referenceTo(after) })
  } else if (before && !after) {
    batch.tell('alliance.disbanded', { line, at, alliances: [before.id] }, { alliance: referenceTo(before) })
  } else if (before && after && (before.name !== after.name || before.tag !== after.tag)) {
    batch.tell(
      'alliance.renamed',
      { line, at, alliances: [after.id] },
      { alliance: referenceTo(after), old_name: before.name, old_tag: before.tag },
    )
  }
}
