-- The public world of one universe of 2Moons as chancery pull reads it. The tables are in the database moons, with the prefix uni1_.
create database if not exists chancery_out character set utf8mb4;

-- A player is a nation. Points are those of the last statistics run; administrators are not listed, as in the game.
create or replace view chancery_out.nation as
select
  u.id,
  u.username as nation_name,
  u.username as leader_name,
  coalesce(s.total_points, 0) as national_score,
  case when u.urlaubs_modus = 1 then 'vacation' when u.bana = 1 then 'inactive' else 'active' end as status,
  nullif(u.register_time, 0) as founded_at,
  coalesce(p.planets, 0) as city_count,
  u.id as player,
  u.wons as `attributes.battles_won`,
  u.loos as `attributes.battles_lost`,
  u.desunits as `attributes.units_destroyed`,
  coalesce(s.fleet_points, 0) as `attributes.fleet_points`,
  coalesce(p.places, '[]') as `attributes.places`,
  coalesce(p.metal, 0) as `economy.resources.metal`,
  coalesce(p.crystal, 0) as `economy.resources.crystal`,
  coalesce(p.deuterium, 0) as `economy.resources.deuterium`,
  u.darkmatter as `economy.credits`
from moons.uni1_users u
left join moons.uni1_statpoints s on s.id_owner = u.id and s.stat_type = 1 and s.universe = u.universe
left join (
  select
    id_owner,
    sum(planet_type = '1') as planets,
    -- In the order of the map. A moon has the place of its planet.
    concat('["', group_concat(case when planet_type = '1' then concat(galaxy, ':', `system`, ':', planet) end
      order by galaxy, `system`, planet separator '","'), '"]') as places,
    floor(sum(metal)) as metal, floor(sum(crystal)) as crystal, floor(sum(deuterium)) as deuterium
  from moons.uni1_planets where destruyed = 0 group by id_owner
) p on p.id_owner = u.id
where u.universe = 1 and u.authlevel = 0;

create or replace view chancery_out.alliance as
select
  a.id,
  a.ally_name as name,
  a.ally_tag as tag,
  nullif(a.ally_description, '') as description,
  nullif(a.ally_register_time, 0) as founded_at,
  1 - a.ally_request_notallow as recruiting
from moons.uni1_alliance a
where a.ally_universe = 1;

create or replace view chancery_out.alliance_member as
select
  u.id as nation_id,
  a.id as alliance_id,
  -- Ranks are written by each alliance; their rights are the same everywhere.
  case when a.ally_owner = u.id then 'leader' when r.ADMIN = 1 or r.MANAGEUSERS = 1 then 'officer' else 'member' end as `rank`,
  nullif(u.ally_register_time, 0) as joined_at
from moons.uni1_users u
join moons.uni1_alliance a on a.id = u.ally_id and a.ally_universe = 1
left join moons.uni1_alliance_ranks r on r.rankID = u.ally_rank_id and r.allianceID = u.ally_id
where u.universe = 1 and u.authlevel = 0;

-- Accepted pacts. Level 5 is a war, and 6 a secret alliance, which must not be shown.
create or replace view chancery_out.treaty as
select
  d.id,
  json_array(cast(d.owner_1 as char), cast(d.owner_2 as char)) as alliance_ids,
  case d.level when 1 then 'wing' when 2 then 'alliance' when 3 then 'trade' else 'non_aggression' end as type
from moons.uni1_diplo d
where d.universe = 1 and d.accept = 1 and d.level in (1, 2, 3, 4);

-- The hall of fame. Which of several attackers began is not stored: the oldest account leads a side, and the others help.
create or replace view chancery_out.battle as
with side as (
  select
    t.rid,
    t.role,
    min(u.id) as first_id,
    group_concat(distinct u.id order by u.id separator '","') as ids
  from moons.uni1_users_to_topkb t
  join moons.uni1_users u on u.id = t.uid and u.universe = 1 and u.authlevel = 0
  group by t.rid, t.role
)
select
  k.rid as id,
  k.time as fought_at,
  a.first_id as attacker_nation_id,
  d.first_id as defender_nation_id,
  case when a.ids like '%,%' then concat('["', substr(a.ids, locate(',', a.ids) + 2), '"]') else '[]' end as attacker_helper_nation_ids,
  case when d.ids like '%,%' then concat('["', substr(d.ids, locate(',', d.ids) + 2), '"]') else '[]' end as defender_helper_nation_ids,
  case k.result when 'a' then 'attacker' when 'r' then 'defender' else 'draw' end as victor
from moons.uni1_topkb k
join side a on a.rid = k.rid and a.role = 1
join side d on d.rid = k.rid and d.role = 2
where k.universe = 1;
