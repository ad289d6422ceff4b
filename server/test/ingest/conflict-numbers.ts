import assert from 'node:assert/strict'
import type { Client } from 'pg'
import { withConnection } from '../support/database-url.ts'

/** The counters of conflicts, computed from all wars without the derived tables. */
const plain = `
  with places as (
    select distinct c.id, side.number, member.value ->> 'alliance_id' as alliance_id
    from chancery_world.conflict c, jsonb_array_elements(c.sides) with ordinality as side (value, number),
      jsonb_array_elements(side.value -> 'alliances') as member
  ), fighters as (
    select conflict_id as id, attacker_alliance_id as alliance_id, attacker_nation_id as nation_id,
      attacker_battles_won as won, attacker_losses as losses from chancery_world.war
    union all
    select conflict_id, defender_alliance_id, defender_nation_id, defender_battles_won, defender_losses from chancery_world.war
    union all
    select conflict_id, participant ->> 'alliance_id', participant ->> 'nation_id', 0, '{}'
    from chancery_world.war, jsonb_array_elements(participants) as participant
  ), of_side as (
    select f.*, p.number from fighters f join places p using (id, alliance_id)
  ), units as (
    select id, number, unit, sum(lost::numeric) as lost
    from of_side, jsonb_each_text(losses) as u (unit, lost) group by 1, 2, 3
  )
  select c.id,
    (select count(*) from chancery_world.war w where w.conflict_id = c.id and w.status = 'active') as wars_active,
    (select count(*) from chancery_world.war w where w.conflict_id = c.id) as wars_total,
    (select coalesce(sum(w.battles_count), 0) from chancery_world.war w where w.conflict_id = c.id) as battles_count,
    (select coalesce(jsonb_agg(jsonb_build_object(
      'nation_count', (select count(distinct nation_id) from of_side f where f.id = c.id and f.number = side.number),
      'battles_won', (select coalesce(sum(won), 0) from of_side f where f.id = c.id and f.number = side.number),
      'losses', (select coalesce(jsonb_object_agg(unit, lost), '{}') from units u where u.id = c.id and u.number = side.number)
    ) order by side.number), '[]') from generate_series(1, jsonb_array_length(c.sides)) as side (number)) as side_totals
  from chancery_world.conflict c order by c.id`

const stored =
  'select id, wars_active, wars_total, battles_count, side_totals from chancery_world.conflict order by id'

const sides = `
  (select w.conflict_id, s.* from chancery_world.war w, lateral (values
    (attacker_alliance_id, attacker_nation_id, attacker_battles_won, attacker_losses),
    (defender_alliance_id, defender_nation_id, defender_battles_won, defender_losses)
  ) s (alliance_id, nation_id, won, losses) where w.conflict_id is not null and s.alliance_id is not null) s`

/** The derived tables with their expected rows; rows of zeros are ignored. */
const kept: [stored: string, plain: string][] = [
  [
    'select conflict_id, nation_id, alliance_id, wars from chancery_world.conflict_participant where wars <> 0 order by 1, 2, 3',
    `select conflict_id, nation_id, alliance_id, count(*) as wars from (
       select conflict_id, nation_id, alliance_id from ${sides}
       union all
       select w.conflict_id, p.nation_id, p.alliance_id
       from chancery_world.war_participant p join chancery_world.war w on w.id = p.war_id
       where w.conflict_id is not null and p.alliance_id is not null
     ) n group by 1, 2, 3 order by 1, 2, 3`,
  ],
  [
    `select conflict_id, alliance_id, unit, wars, number from chancery_world.conflict_counter
     where wars <> 0 or number <> 0 order by 1, 2, 3`,
    `select conflict_id, alliance_id, unit, count(*) as wars, sum(number) as number
     from ${sides}, lateral (
       select '' collate "C" as unit, won::numeric as number union all select key, value::numeric from jsonb_each_text(losses)
     ) p group by 1, 2, 3 order by 1, 2, 3`,
  ],
  ['select count(*) from chancery_secret.war_counter_snapshot', 'select 0::bigint as count'],
]

/** That conflicts have the numbers that their wars add up to. */
export async function assertConflictsAddUp(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, async (client: Client) => {
    for (const [isStored, isPlain] of [[stored, plain], ...kept] as const) {
      const [{ rows: found }, { rows: expected }] = [
        await client.query<object>(isStored),
        await client.query<object>(isPlain),
      ]
      assert.deepEqual(found, expected)
    }
  })
}
