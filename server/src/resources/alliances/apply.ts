import type { PublicOf, ReadableOf, ResourceOf } from '@chancery/contract'
import type { SplitAttributes } from '../../store/attributes.ts'
import type { Batch, Change } from '../../store/batch.ts'
import { goneOf, settle, type ThingStore, type Transition } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'
import { refuseReused } from '../../store/reused-ids.ts'
import { bury, rowRemover, rowWriter, unearth } from '../../store/rows.ts'
import { searchText } from '../../store/search-text.ts'

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

const writeAlliances = rowWriter('chancery_world.alliance', 'id', [
  'id',
  'name',
  'tag',
  'color',
  'flag_url',
  'description',
  'founded_at',
  'recruiting',
  'attributes',
  'updated_at',
  'search_text',
])
const writeSecrets = rowWriter(
  'chancery_secret.alliance_private',
  'alliance_id',
  ['alliance_id', 'treasury', 'moderation_notes', 'attributes', 'admin_attributes'],
  { isNested: true },
)
const removeAlliances = rowRemover('chancery_world.alliance', 'id')
const removeSecrets = rowRemover('chancery_secret.alliance_private', 'alliance_id')

const store: ThingStore<Alliance> = {
  resource: 'alliance',

  async load({ db }, ids) {
    const rows = await db.rows<Alliance>(sql`
      select a.id, a.name, a.tag, a.color, a.flag_url, a.description, a.founded_at, a.recruiting, a.attributes, a.updated_at,
        p.treasury, p.moderation_notes, coalesce(p.attributes, '{}') as private_attributes,
        coalesce(p.admin_attributes, '{}') as admin_attributes
      from chancery_world.alliance a left join chancery_secret.alliance_private p on p.alliance_id = a.id
      where a.id = any(${ids})`)
    return new Map(rows.map(row => [row.id, row]))
  },

  async save({ db, touched }, alliances) {
    await writeAlliances(
      db,
      alliances.map(alliance => ({ ...alliance, search_text: searchText(alliance.name, alliance.tag) })),
    )
    await writeSecrets(
      db,
      alliances.map(({ id, treasury, moderation_notes, private_attributes, admin_attributes }) => ({
        alliance_id: id,
        treasury,
        moderation_notes,
        attributes: private_attributes,
        admin_attributes,
      })),
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
  },
}

const referenceTo = ({ id, name, tag }: Alliance) => ({ alliance_id: id, name, tag })

/** Applies facts about alliances. */
export async function applyAlliances(batch: Batch, changes: Change[]): Promise<void> {
  await refuseReused(batch, 'alliance', changes)
  const transitions = await settle(batch, store, changes)
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
