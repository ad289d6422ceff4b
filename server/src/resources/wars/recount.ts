import type { Batch, WarCounts } from '../../store/batch.ts'
import { sql } from '../../store/database.ts'

/** Adds up the losses and victories of wars whose battles changed. A battle's attacker may be the war's defender, or an ally. */
export async function recountBattles({ db, touched }: Batch): Promise<void> {
  if (touched.battles.size === 0) return
  await db.rows(sql`
    with touched as (
      select w.id, w.attacker_nation_id, b.id as battle_id, b.victor, b.losses,
        b.attacker_nation_id = w.attacker_nation_id
          or (b.attacker_nation_id <> w.defender_nation_id and b.defender_nation_id <> w.attacker_nation_id) as same_direction
      from chancery_world.war w left join chancery_world.battle b on b.war_id = w.id
      where w.id = any(${[...touched.battles]})
    ), victories as (
      select id, count(battle_id) as battles,
        count(*) filter (where victor = case when same_direction then 'attacker' else 'defender' end) as attacker_won,
        count(*) filter (where victor = case when same_direction then 'defender' else 'attacker' end) as defender_won
      from touched group by id
    ), lost as (
      select t.id, (side = 'attacker') = same_direction as by_attacker, unit, sum(lost::bigint) as lost
      from touched t, json_each(t.losses::json) as sides (side, units), json_each_text(units) as unit_losses (unit, lost)
      group by 1, 2, 3
    ), summed as (
      select id,
        coalesce(jsonb_object_agg(unit, lost order by unit) filter (where by_attacker), '{}') as attacker_losses,
        coalesce(jsonb_object_agg(unit, lost order by unit) filter (where not by_attacker), '{}') as defender_losses
      from lost group by id
    )
    update chancery_world.war w set
      battles_count = v.battles,
      attacker_battles_won = v.attacker_won,
      defender_battles_won = v.defender_won,
      attacker_losses = coalesce(s.attacker_losses, '{}'),
      defender_losses = coalesce(s.defender_losses, '{}')
    from victories v left join summed s using (id)
    where w.id = v.id`)
  const rows = await db.rows<{ conflict_id: string }>(sql`
    select distinct conflict_id from chancery_world.war where id = any(${[...touched.battles]}) and conflict_id is not null`)
  for (const { conflict_id } of rows) touched.conflicts.add(conflict_id)
}

/** Counts the wars of nations anew. */
export async function recountWarsOfNations({ db, touched }: Batch): Promise<void> {
  if (touched.warNations.size === 0) return
  await db.rows(sql`
    with sides as (
      select t.id, w.status, w.outcome, w.attacker_nation_id = t.id as attacks
      from unnest(${[...touched.warNations]}::text[]) as t (id)
      left join chancery_world.war w on w.attacker_nation_id = t.id or w.defender_nation_id = t.id
    ), counted as (
      select id,
        count(*) filter (where status = 'active' and attacks) as offensive,
        count(*) filter (where status = 'active' and not attacks) as defensive,
        count(*) filter (where status = 'ended' and outcome = case when attacks then 'attacker_victory' else 'defender_victory' end) as won,
        count(*) filter (where status = 'ended' and outcome = case when attacks then 'defender_victory' else 'attacker_victory' end) as lost
      from sides group by id
    )
    update chancery_world.nation n
    set active_offensive = c.offensive, active_defensive = c.defensive, wars_won = c.won, wars_lost = c.lost
    from counted c where n.id = c.id
      and (n.active_offensive, n.active_defensive, n.wars_won, n.wars_lost) is distinct from (c.offensive, c.defensive, c.won, c.lost)`)
}

/** Adds what the wars of the batch change to the counters of alliances: a large alliance costs no more than a small one. */
export async function addWarsOfAlliances({ db, touched }: Batch): Promise<void> {
  const changed = [...touched.allianceWars].filter(
    ([id, { active, won, lost }]) =>
      (active !== 0 || won !== 0 || lost !== 0) && !touched.warAlliances.has(id),
  )
  if (changed.length === 0) return
  const numbers = (key: keyof WarCounts) => changed.map(([, counts]) => counts[key])
  await db.rows(sql`
    update chancery_world.alliance a
    set wars_active = a.wars_active + d.active, wars_won = a.wars_won + d.won, wars_lost = a.wars_lost + d.lost
    from unnest(${changed.map(([id]) => id)}::text[], ${numbers('active')}::bigint[], ${numbers('won')}::bigint[],
      ${numbers('lost')}::bigint[]) as d (id, active, won, lost)
    where a.id = d.id`)
}

/** Counts the wars of alliances that are back, by the alliances of the declaration. A war inside one alliance counts once as active. */
export async function recountWarsOfAlliances({ db, touched }: Batch): Promise<void> {
  if (touched.warAlliances.size === 0) return
  await db.rows(sql`
    with counted as (
      select t.id,
        count(*) filter (where w.status = 'active') as active,
        count(*) filter (where w.status = 'ended' and ((w.outcome = 'attacker_victory' and w.attacker_alliance_id = t.id)
          or (w.outcome = 'defender_victory' and w.defender_alliance_id = t.id))) as won,
        count(*) filter (where w.status = 'ended' and ((w.outcome = 'defender_victory' and w.attacker_alliance_id = t.id)
          or (w.outcome = 'attacker_victory' and w.defender_alliance_id = t.id))) as lost
      from unnest(${[...touched.warAlliances]}::text[]) as t (id)
      left join chancery_world.war w on w.attacker_alliance_id = t.id or w.defender_alliance_id = t.id
      group by t.id
    )
    update chancery_world.alliance a set wars_active = c.active, wars_won = c.won, wars_lost = c.lost
    from counted c where a.id = c.id
      and (a.wars_active, a.wars_won, a.wars_lost) is distinct from (c.active, c.won, c.lost)`)
}
