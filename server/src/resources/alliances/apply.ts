import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../ingest/batch.ts'
import {
  deletionsOf,
  type EntityStore,
  mergeChanges,
  recreatedOf,
  type SplitAttributes,
  type Transition,
} from '../../ingest/changes.ts'
import {
  createPublicAndPrivateTables,
  createRowRemover,
  createRowWriter,
  secretRow,
} from '../../ingest/entity-store.ts'
import { rejectReusedIds, removeTombstones, writeTombstones } from '../../ingest/tombstones.ts'
import { sql } from '../../store/database.ts'
import { searchText } from '../../store/search-text.ts'
import { closeHistory } from '../history/numbers.ts'

type Alliance = Pick<PublicOf<ResourceOf<'alliance'>>, 'id' | 'name' | 'tag' | 'founded_at'> &
  Omit<SplitAttributes, 'attributes'>

const tables = createPublicAndPrivateTables(
  'alliance',
  'chancery_world.alliance',
  { table: 'chancery_secret.alliance_private', key: 'alliance_id', isNested: true },
  createRowWriter,
  ['search_text'],
)
const removeAlliances = createRowRemover('chancery_world.alliance', 'id')
const removeSecrets = createRowRemover('chancery_secret.alliance_private', 'alliance_id')
const removePreviousDayRanks = createRowRemover('chancery_world.alliance_rank_previous_day', 'alliance_id')
/** One that is put again must not get the rank of the deleted one, nor its point of the day. */
const removePlaces = createRowRemover('chancery_world.alliance_ranking', 'alliance_id')

const store: EntityStore<Alliance> = {
  resource: 'alliance',

  async load(batch, ids) {
    const rows = await batch.db.rows<Alliance>(sql`${tables(batch).select}${ids})`)
    return new Map(rows.map(row => [row.id, row]))
  },

  async save(batch, alliances) {
    const { db, pending } = batch
    const { write, writeSecrets } = tables(batch)
    await write(
      db,
      alliances.map(alliance => ({ ...alliance, search_text: searchText(alliance.name, alliance.tag) })),
    )
    await writeSecrets(
      db,
      alliances.map(alliance => secretRow('alliance_id', alliance.id, alliance)),
    )
    const recreated = await removeTombstones(
      db,
      'alliance',
      alliances.map(alliance => alliance.id),
    )
    for (const id of recreated) pending.recreatedAlliances.add(id)
  },

  async remove({ db }, ids) {
    await removeAlliances(db, ids)
    await removeSecrets(db, ids)
    await removePreviousDayRanks(db, ids)
    await removePlaces(db, ids)
    await closeHistory(db, 'alliance', ids)
  },
}

const referenceTo = ({ id, name, tag }: Alliance) => ({ alliance_id: id, name, tag })

/** Applies facts about alliances. */
export async function applyAlliances(batch: Batch, changes: Change[]): Promise<void> {
  await rejectReusedIds(batch.db, 'alliance', changes)
  const transitions = await mergeChanges(batch, store, changes)
  for (const id of recreatedOf(transitions)) batch.pending.recreatedAlliances.add(id)
  await writeTombstones(
    batch.db,
    'alliance',
    deletionsOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
  for (const transition of transitions) emitEvents(batch, transition)
}

function emitEvents(batch: Batch, { line, before, after, at }: Transition<Alliance>): void {
  if (after && !before) {
    const metadata = { line, at: after.founded_at ?? at, alliances: [after.id] }
    batch.emit('alliance.founded', metadata, { alliance: referenceTo(after) })
  } else if (before && !after) {
    batch.emit('alliance.disbanded', { line, at, alliances: [before.id] }, { alliance: referenceTo(before) })
  } else if (before && after && (before.name !== after.name || before.tag !== after.tag)) {
    batch.emit(
      'alliance.renamed',
      { line, at, alliances: [after.id] },
      { alliance: referenceTo(after), old_name: before.name, old_tag: before.tag },
    )
  }
}

/** A nation that joined or left an alliance. */
export interface MembershipStep {
  nation_id: string
  alliance_id: string
  /** 1 for a join, -1 for a leave. */
  step: 1 | -1
}

/**
 * Updates member_count and total_score by the differences of a chunk: a large alliance costs no more than a small one. The sums are
 * exact decimals, so they do not drift.
 */
export async function addMembershipSteps({ db }: Batch, steps: MembershipStep[]): Promise<void> {
  if (steps.length === 0) return
  await db.rows(sql`
    with difference as (
      select s.alliance_id, sum(s.step) as members, sum(s.step * n.national_score) as score
      from unnest(${steps.map(step => step.nation_id)}::text[], ${steps.map(step => step.alliance_id)}::text[],
        ${steps.map(step => step.step)}::integer[]) as s (nation_id, alliance_id, step)
      join chancery_world.nation n on n.id = s.nation_id
      group by s.alliance_id
    )
    update chancery_world.alliance a set member_count = a.member_count + d.members, total_score = a.total_score + d.score
    from difference d where a.id = d.alliance_id`)
}

/** The same for members whose score changed. */
export async function addScoreChanges(
  { db }: Batch,
  transitions: Transition<{ national_score: number }>[],
): Promise<void> {
  const changed = transitions.flatMap(({ key, before, after }) =>
    before && after && before.national_score !== after.national_score
      ? [{ key, from: before.national_score, to: after.national_score }]
      : [],
  )
  if (changed.length === 0) return
  await db.rows(sql`
    with difference as (
      select m.alliance_id, sum(c.score_now - c.score_before) as score
      from unnest(${changed.map(({ key }) => key)}::text[], ${changed.map(({ from }) => from)}::numeric[],
        ${changed.map(({ to }) => to)}::numeric[]) as c (nation_id, score_before, score_now)
      join chancery_world.alliance_member m on m.nation_id = c.nation_id
      group by m.alliance_id
    )
    update chancery_world.alliance a set total_score = a.total_score + d.score
    from difference d where a.id = d.alliance_id`)
}
