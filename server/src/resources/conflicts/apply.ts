import type { PublicOf, ResourceOf } from '@chancery/contract'
import type { Batch, Change } from '../../store/batch.ts'
import { goneOf, settle, type ThingStore, type Transition } from '../../store/changes.ts'
import { sql } from '../../store/database.ts'
import { bury } from '../../store/rows.ts'
import { tableStore } from '../../store/table-store.ts'

interface Side {
  name: string
  alliances: { alliance_id: string; joined_at?: string | null; left_at?: string | null }[]
}
type Conflict = Pick<
  PublicOf<ResourceOf<'conflict'>>,
  'id' | 'name' | 'status' | 'cause' | 'started_at' | 'ended_at' | 'era_id'
> & { sides: Side[] }

const store: ThingStore<Conflict> = {
  ...tableStore<Conflict>(
    'conflict',
    'chancery_world.conflict',
    ['id', 'name', 'status', 'cause', 'started_at', 'ended_at', 'sides', 'era_id'],
    { leavesTombstone: true },
  ),
  adjust(_batch, after, _before, { data }) {
    if (!('status' in data) && typeof data.ended_at === 'string') after.status = 'ended'
  },
}

/** Applies facts about global conflicts. */
export async function applyConflicts(batch: Batch, changes: Change[]): Promise<void> {
  for (const { line, data } of changes) {
    const { sides, era_id } = data as Partial<Conflict>
    for (const { alliances } of sides ?? []) {
      for (const { alliance_id } of alliances) batch.refersTo('alliance', alliance_id, line, '/data/sides')
    }
    batch.refersTo('era', era_id, line, '/data/era_id')
  }
  const transitions = await settle(batch, store, changes)
  const names = await allianceNames(batch, transitions)
  for (const transition of transitions) {
    if (transition.after) batch.touched.conflicts.add(transition.key)
    tell(batch, transition, names)
  }
  await bury(
    batch.db,
    'conflict',
    goneOf(transitions).map(({ key, before }) => ({ id: key, name: before?.name ?? null })),
    batch.loggedAt,
  )
}

type AllianceNames = Map<string, { alliance_id: string; name: string; tag: string }>

async function allianceNames({ db }: Batch, transitions: Transition<Conflict>[]): Promise<AllianceNames> {
  const ids = transitions.flatMap(({ after }) => [...fighting(after).keys()])
  const rows = await db.rows<{ alliance_id: string; name: string; tag: string }>(sql`
    select id as alliance_id, name, tag from chancery_world.alliance where id = any(${[...new Set(ids)]})
    union all
    select id, name, '' from chancery_world.tombstone where resource = 'alliance' and id = any(${[...new Set(ids)]})`)
  return new Map(rows.map(row => [row.alliance_id, row]))
}

/** The alliances that fight now, with side and date. */
function fighting(conflict: Conflict | undefined): Map<string, { side: string; joinedAt: string | null }> {
  return new Map(
    (conflict?.sides ?? []).flatMap(({ name, alliances }) =>
      alliances
        .filter(({ left_at }) => !left_at)
        .map(
          ({ alliance_id, joined_at }) => [alliance_id, { side: name, joinedAt: joined_at ?? null }] as const,
        ),
    ),
  )
}

function tell(batch: Batch, { line, before, after, at }: Transition<Conflict>, names: AllianceNames): void {
  if (!after) return
  const conflict = { conflict_id: after.id, name: after.name }
  if (!before) {
    const alliances = [...fighting(after).keys()]
    batch.tell(
      'conflict.started',
      { line, at: after.started_at, alliances, conflict: after.id },
      { conflict, cause: after.cause },
    )
  }
  const known = fighting(before)
  for (const [id, { side, joinedAt }] of fighting(after)) {
    if (known.get(id)?.side === side) continue
    const alliance = names.get(id) ?? { alliance_id: id, name: id, tag: '' }
    const telling = { line, at: joinedAt ?? at, alliances: [id], conflict: after.id }
    batch.tell('conflict.joined', telling, { conflict, alliance, side })
  }
  if (before?.status !== 'ended' && after.status === 'ended') {
    batch.tell('conflict.ended', { line, at: after.ended_at ?? at, conflict: after.id }, { conflict })
  }
}

/**
 * Adds up the numbers of conflicts whose wars, battles or sides changed.
 * A war's nation fights for the side on which its alliance of the declaration stands.
 */
export async function recountConflicts({ db, touched }: Batch): Promise<void> {
  if (touched.conflicts.size === 0) return
  const ids = [...touched.conflicts]
  await db.rows(sql`
    with wars as (
      select conflict_id as id, count(*) filter (where status = 'active') as active, count(*) as total,
        sum(battles_count) as battles
      from chancery_world.war where conflict_id = any(${ids}) group by 1
    ), places as (
      select c.id, side.number, member.value ->> 'alliance_id' as alliance_id
      from chancery_world.conflict c, jsonb_array_elements(c.sides) with ordinality as side (value, number),
        jsonb_array_elements(side.value -> 'alliances') as member
      where c.id = any(${ids})
    ), fighters as (
      select conflict_id as id, attacker_alliance_id as alliance_id, attacker_nation_id as nation_id,
        attacker_battles_won as won, attacker_losses as losses
      from chancery_world.war where conflict_id = any(${ids})
      union all
      select conflict_id, defender_alliance_id, defender_nation_id, defender_battles_won, defender_losses
      from chancery_world.war where conflict_id = any(${ids})
    ), side_fighters as (
      select f.*, p.number from fighters f join (select distinct id, number, alliance_id from places) p using (id, alliance_id)
    ), side_counts as (
      select id, number, count(distinct nation_id) as nations, sum(won) as won from side_fighters group by 1, 2
    ), side_units as (
      select id, number, unit, sum(lost::bigint) as lost
      from side_fighters, jsonb_each_text(losses) as units (unit, lost) group by 1, 2, 3
    ), side_losses as (
      select id, number, jsonb_object_agg(unit, lost) as losses from side_units group by 1, 2
    ), numbers as (
      select c.id, jsonb_agg(jsonb_build_object(
          'nation_count', coalesce(s.nations, 0), 'battles_won', coalesce(s.won, 0), 'losses', coalesce(l.losses, '{}')
        ) order by side.number) as sides
      from chancery_world.conflict c
      cross join lateral jsonb_array_elements(c.sides) with ordinality as side (value, number)
      left join side_counts s on s.id = c.id and s.number = side.number
      left join side_losses l on l.id = c.id and l.number = side.number
      where c.id = any(${ids}) group by c.id
    )
    update chancery_world.conflict c set
      wars_active = coalesce(w.active, 0), wars_total = coalesce(w.total, 0), battles_count = coalesce(w.battles, 0),
      side_numbers = coalesce(n.sides, '[]')
    from unnest(${ids}::text[]) as t (id) left join wars w using (id) left join numbers n using (id)
    where c.id = t.id`)
}
