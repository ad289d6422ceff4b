import type { Batch, Change } from '../../ingest/batch.ts'
import { type EntityStore, mergeChanges, type Transition } from '../../ingest/changes.ts'
import { createPublicAndPrivateTables, createRowRemover, createRowWriter } from '../../ingest/entity-store.ts'
import { sql } from '../../store/database.ts'
import { addMembershipSteps, type MembershipStep } from '../alliances/apply.ts'
import { indexMembers } from '../nations/ranking-index.ts'

interface Membership {
  nation_id: string
  alliance_id: string
  rank: string
  joined_at: string | null
  can_view_treasury: boolean | null
}

interface AllianceReference {
  alliance_id: string
  name: string
  tag: string
}

const tables = createPublicAndPrivateTables(
  'alliance_member',
  'chancery_world.alliance_member',
  { table: 'chancery_secret.member_private', key: 'nation_id' },
  createRowWriter,
)
const removeMembers = createRowRemover('chancery_world.alliance_member', 'nation_id')
const removeSecrets = createRowRemover('chancery_secret.member_private', 'nation_id')

const store: EntityStore<Membership> = {
  resource: 'alliance_member',

  async load(batch, ids) {
    const rows = await batch.db.rows<Membership>(sql`${tables(batch).select}${ids})`)
    return new Map(rows.map(row => [row.nation_id, row]))
  },

  /** Rank, date and permission belong to one alliance: a change of alliance resets them. */
  adjust(batch, after, before, { data }) {
    if (!before || before.alliance_id === after.alliance_id) return
    if (!('rank' in data)) after.rank = batch.contract.profile.ranks.at(-1)?.key ?? after.rank
    if (!('joined_at' in data)) after.joined_at = null
    if (!('can_view_treasury' in data)) after.can_view_treasury = null
  },

  async save(batch, members) {
    const { db } = batch
    const { write, writeSecrets } = tables(batch)
    await write(db, members)
    // Rarely set: a member without it has no row.
    const hasPermission = ({ can_view_treasury }: Membership) => can_view_treasury !== null
    await writeSecrets(db, members.filter(hasPermission))
    await removeSecrets(
      db,
      members.filter(member => !hasPermission(member)).map(member => member.nation_id),
    )
    await indexMembers(
      db,
      members.map(member => member.nation_id),
    )
  },

  async remove({ db }, ids) {
    await removeMembers(db, ids)
    await removeSecrets(db, ids)
    await indexMembers(db, ids)
  },
}

/** Applies facts about memberships. */
export async function applyMembers(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, key, op, data } of changes) {
    if (op === 'delete') continue
    batch.requireExisting('nation', key, line, '/data/nation_id')
    if (typeof data.alliance_id === 'string')
      batch.requireExisting('alliance', data.alliance_id, line, '/data/alliance_id')
  }
  await emitEvents(batch, await mergeChanges(batch, store, changes))
}

/** Ends the memberships of nations that a batch deletes. */
export async function removeMembershipsOfNations(batch: Batch, leaving: Change[]): Promise<void> {
  await emitEvents(batch, await mergeChanges(batch, store, leaving))
}

/** Ends the memberships in alliances that a batch deletes. */
export async function removeMembersOfAlliances(batch: Batch, deletes: Change[]): Promise<void> {
  const deleteOf = new Map(deletes.map(change => [change.key, change]))
  const rows = await batch.db.rows<{ nation_id: string; alliance_id: string }>(sql`
    select nation_id, alliance_id from chancery_world.alliance_member where alliance_id = any(${[...deleteOf.keys()]})
    order by alliance_id, nation_id`)
  const changes = rows.flatMap(({ nation_id, alliance_id }) => {
    const change = deleteOf.get(alliance_id)
    return change ? [{ ...change, key: nation_id }] : []
  })
  await emitEvents(batch, await mergeChanges(batch, store, changes))
}

/** The alliance of each nation that is a member of one. */
export async function alliancesOfNations({ db }: Batch, nationIds: string[]): Promise<Map<string, string>> {
  if (nationIds.length === 0) return new Map()
  const rows = await db.rows<{ nation_id: string; alliance_id: string }>(sql`
    select nation_id, alliance_id from chancery_world.alliance_member where nation_id = any(${[...new Set(nationIds)]})`)
  return new Map(rows.map(({ nation_id, alliance_id }) => [nation_id, alliance_id]))
}

/** Emits joins, leaves and changes of rank, and updates the counters. */
async function emitEvents(batch: Batch, transitions: Transition<Membership>[]): Promise<void> {
  if (transitions.length === 0) return
  const names = await batch.nationNames(transitions.map(transition => transition.key))
  const alliances = await loadAlliances(batch, transitions)
  const referenceTo = (id: string) => {
    const { name, tag } = alliances.get(id) ?? { name: id, tag: '' }
    return { alliance_id: id, name, tag }
  }
  const steps: MembershipStep[] = []
  for (const { line, key, before, after, at } of transitions) {
    const nation = { nation_id: key, nation_name: names.get(key) ?? key }
    const isSame = before?.alliance_id === after?.alliance_id
    if (before && !isSame) {
      steps.push({ nation_id: key, alliance_id: before.alliance_id, step: -1 })
      const alliance = referenceTo(before.alliance_id)
      batch.emit(
        'alliance.member_left',
        { line, at, nations: [key], alliances: [before.alliance_id] },
        { nation, alliance },
      )
    }
    if (after && !isSame) {
      steps.push({ nation_id: key, alliance_id: after.alliance_id, step: 1 })
      const alliance = referenceTo(after.alliance_id)
      batch.emit(
        'alliance.member_joined',
        { line, at: after.joined_at ?? at, nations: [key], alliances: [after.alliance_id] },
        { nation, alliance, rank: after.rank },
      )
    }
    if (before && after && isSame && before.rank !== after.rank) {
      const alliance = referenceTo(after.alliance_id)
      batch.emit(
        'alliance.rank_changed',
        { line, at, nations: [key], alliances: [after.alliance_id] },
        { nation, alliance, old_rank: before.rank, rank: after.rank },
      )
    }
  }
  await addMembershipSteps(batch, steps)
}

async function loadAlliances(
  { db }: Batch,
  transitions: Transition<Membership>[],
): Promise<Map<string, AllianceReference>> {
  const ids = new Set(
    transitions
      .flatMap(({ before, after }) => [before?.alliance_id, after?.alliance_id])
      .filter(id => id !== undefined),
  )
  const rows = await db.rows<AllianceReference>(sql`
    select id as alliance_id, name, tag from chancery_world.alliance where id = any(${[...ids]})`)
  return new Map(rows.map(row => [row.alliance_id, row]))
}
