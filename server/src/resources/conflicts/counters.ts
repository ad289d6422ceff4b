import type { Batch } from '../../ingest/batch.ts'
import { type Database, raw, type Sql, sql } from '../../store/database.ts'

/** The columns of a war that the counters of its conflict use. */
const counted = raw(`id, conflict_id, status, battles_count,
  attacker_nation_id, attacker_alliance_id, attacker_battles_won, attacker_losses,
  defender_nation_id, defender_alliance_id, defender_battles_won, defender_losses, participants`)

/** Copies the columns of wars by which they are counted. Called before a batch writes them. */
export async function snapshotCounters({ db, pending }: Batch, warIds: Iterable<string>): Promise<void> {
  const ids = [...warIds].filter(id => !pending.conflictWars.has(id))
  if (ids.length === 0) return
  const rows = await db.rows<{ id: string }>(sql`
    insert into chancery_secret.war_counter_snapshot (${counted})
    select ${counted} from chancery_world.war where id = any(${ids}) and conflict_id is not null
    returning id`)
  for (const { id } of rows) pending.conflictWars.add(id)
}

/** The differences that a batch makes to the counters of a conflict. */
interface Added {
  id: string
  active: number
  total: number
  battles: number
  /** By the number of a side, from 1, by how many nations more fight for it. */
  nations: Record<string, number>
}

/**
 * Updates the counters of conflicts. The nations of a war fight for the side of their alliance at the declaration, or when they joined. The cost grows with the
 * wars of the batch, not with those of the conflict; where sides have changed, with the nations that fight.
 */
export async function updateConflictCounters({ db, pending }: Batch): Promise<void> {
  const { conflictWars, conflictSides, newConflicts } = pending
  const added = conflictWars.size > 0 ? await addWars(db, [...conflictWars]) : []
  if (newConflicts.size > 0) await countWarsOfNew(db, [...newConflicts])
  const ofKnown = added.filter(({ id }) => !newConflicts.has(id))
  await addUpSides(db, ofKnown, [...conflictSides])
}

/** Subtracts the wars as they were before the batch from the counters, adds them as they are now, and returns the differences. */
async function addWars(db: Database, warIds: string[]): Promise<Added[]> {
  const added = await db.rows<Added>(sql`
    with changed as (
      select ${counted}, -1 as step from chancery_secret.war_counter_snapshot
      union all
      select ${counted}, 1 from chancery_world.war where id = any(${warIds}) and conflict_id is not null
    ), totals as (
      select conflict_id as id, coalesce(sum(step) filter (where status = 'active'), 0) as active, sum(step) as total,
        sum(step * battles_count) as battles
      from changed group by 1
    ), sides as (
      select c.conflict_id, side.*, c.step
      from changed c, lateral (values
        (c.attacker_alliance_id, c.attacker_nation_id, c.attacker_battles_won, c.attacker_losses),
        (c.defender_alliance_id, c.defender_nation_id, c.defender_battles_won, c.defender_losses)
      ) side (alliance_id, nation_id, battles_won, losses)
      where side.alliance_id is not null
    ), parts as (
      select conflict_id, alliance_id, '' as unit, step as wars, step * battles_won::numeric as number from sides
      union all
      select conflict_id, alliance_id, unit, step, step * lost::numeric from sides, jsonb_each_text(losses) as units (unit, lost)
    ), tallied as (
      insert into chancery_world.conflict_counter as t (conflict_id, alliance_id, unit, wars, number)
      select conflict_id, alliance_id, unit, sum(wars), sum(number) from parts
      group by 1, 2, 3 having sum(wars) <> 0 or sum(number) <> 0
      on conflict (conflict_id, alliance_id, unit) do update set wars = t.wars + excluded.wars, number = t.number + excluded.number
    ), fighting as (
      select conflict_id, nation_id, alliance_id, sum(step) as wars
      from (
        select conflict_id, nation_id, alliance_id, step from sides
        union all
        select c.conflict_id, p.nation_id, p.alliance_id, c.step
        from changed c, jsonb_to_recordset(c.participants) as p (nation_id text collate "C", alliance_id text collate "C")
        where p.alliance_id is not null
      ) nations group by 1, 2, 3 having sum(step) <> 0
    ), written as (
      insert into chancery_world.conflict_participant as f (conflict_id, nation_id, alliance_id, wars)
      select conflict_id, nation_id, alliance_id, wars from fighting
      on conflict (conflict_id, nation_id, alliance_id) do update set wars = f.wars + excluded.wars
    ), fought as (
      select f.conflict_id, f.nation_id, f.alliance_id, f.wars
      from (select distinct conflict_id, nation_id from fighting) t
      join chancery_world.conflict_participant f using (conflict_id, nation_id)
    ), before_and_after as (
      select conflict_id, nation_id, alliance_id, sum(before) as before, sum(after) as after
      from (
        select conflict_id, nation_id, alliance_id, wars as before, wars as after from fought
        union all
        select conflict_id, nation_id, alliance_id, 0, wars from fighting
      ) both_times group by 1, 2, 3
    ), ${placesOf(sql`c.id in (select id from totals)`)}, standing as (
      select p.id, p.side, b.nation_id, bool_or(b.before > 0) as before, bool_or(b.after > 0) as after
      from before_and_after b join places p on p.id = b.conflict_id and p.alliance_id = b.alliance_id group by 1, 2, 3
    ), nations as (
      select id, side, sum(after::int - before::int) as number from standing group by 1, 2
    )
    select t.*, coalesce((select jsonb_object_agg(n.side, n.number) from nations n where n.id = t.id), '{}') as nations
    from totals t`)
  await db.rows(sql`delete from chancery_secret.war_counter_snapshot`)
  return added
}

/** The alliances that are or were on each side of conflicts. Sides have numbers from 1. */
const placesOf = (which: Sql): Sql => sql`
  places as (
    select distinct c.id, side.number as side, member.value ->> 'alliance_id' as alliance_id
    from chancery_world.conflict c, jsonb_array_elements(c.sides) with ordinality as side (value, number),
      jsonb_array_elements(side.value -> 'alliances') as member
    where ${which}
  )`

/** A conflict that was deleted and put again has its earlier wars; a new one has none. */
async function countWarsOfNew(db: Database, ids: string[]): Promise<void> {
  await db.rows(sql`
    update chancery_world.conflict c set wars_active = n.active, wars_total = n.total, battles_count = n.battles
    from (
      select t.id, count(*) filter (where w.status = 'active') as active, count(w.id) as total,
        coalesce(sum(w.battles_count), 0) as battles
      from unnest(${ids}::text[]) as t (id) left join chancery_world.war w on w.conflict_id = t.id group by 1
    ) n where c.id = n.id`)
}

/** `ofOtherSides`: conflicts that are new or whose sides changed. */
async function addUpSides(db: Database, added: Added[], ofOtherSides: string[]): Promise<void> {
  const ids = [...new Set([...added.map(({ id }) => id), ...ofOtherSides])]
  if (ids.length === 0) return
  await db.rows(sql`
    with added as (
      select * from jsonb_to_recordset(${JSON.stringify(added)}::jsonb)
        as a (id text, active bigint, total bigint, battles bigint, nations jsonb)
    ), ${placesOf(sql`c.id = any(${ids})`)}, fighters as (
      select p.id, p.side, count(distinct f.nation_id) as nations
      from places p join chancery_world.conflict_participant f on f.conflict_id = p.id and f.alliance_id = p.alliance_id
      where f.conflict_id = any(${ofOtherSides}) and f.wars > 0 group by 1, 2
    ), units as (
      select p.id, p.side, t.unit, sum(t.number) as number
      from places p join chancery_world.conflict_counter t on t.conflict_id = p.id and t.alliance_id = p.alliance_id
      where t.conflict_id = any(${ids}) and t.wars > 0 group by 1, 2, 3
    ), tallies as (
      select id, side, sum(number) filter (where unit = '') as won,
        jsonb_object_agg(unit, number) filter (where unit <> '') as losses
      from units group by 1, 2
    ), numbers as (
      select c.id, jsonb_agg(jsonb_build_object(
          'nation_count', case when c.id = any(${ofOtherSides}) then coalesce(f.nations, 0)
            else (c.side_totals -> (sides.side - 1)::int ->> 'nation_count')::bigint
              + coalesce((a.nations ->> sides.side::text)::bigint, 0) end,
          'battles_won', coalesce(t.won, 0),
          'losses', coalesce(t.losses, '{}')
        ) order by sides.side) as sides
      from chancery_world.conflict c
      cross join lateral generate_series(1, jsonb_array_length(c.sides)) as sides (side)
      left join added a on a.id = c.id
      left join fighters f on f.id = c.id and f.side = sides.side
      left join tallies t on t.id = c.id and t.side = sides.side
      where c.id = any(${ids}) group by 1
    )
    update chancery_world.conflict c set
      wars_active = c.wars_active + coalesce(a.active, 0), wars_total = c.wars_total + coalesce(a.total, 0),
      battles_count = c.battles_count + coalesce(a.battles, 0), side_totals = coalesce(n.sides, '[]')
    from unnest(${ids}::text[]) as t (id) left join added a using (id) left join numbers n using (id)
    where c.id = t.id`)
}
