-- The public world of TravianZ as chancery pull reads it. The tables are in the database travian, with the prefix s1_.
create database if not exists chancery_out character set utf8mb4;

-- A player is a nation; the score is the population of the villages. Players 1 to 5 are the game's own.
create or replace view chancery_out.nation as
select
  u.id,
  u.username as nation_name,
  u.username as leader_name,
  coalesce(v.population, 0) as national_score,
  -- The rules of the game protect a new player until this time; a banned one has no access.
  case when u.protect > unix_timestamp() then 'protected' when u.access = 0 then 'inactive' else 'active' end as status,
  case u.tribe when 1 then 'romans' when 2 then 'teutons' when 3 then 'gauls' else 'natars' end as government,
  u.regtime as founded_at,
  coalesce(v.villages, 0) as city_count,
  u.id as player,
  u.apall as `attributes.attack_points`,
  u.dpall as `attributes.defence_points`,
  coalesce(v.village_ids, '[]') as `attributes.village_ids`,
  coalesce(v.wood, 0) as `economy.resources.wood`,
  coalesce(v.clay, 0) as `economy.resources.clay`,
  coalesce(v.iron, 0) as `economy.resources.iron`,
  coalesce(v.crop, 0) as `economy.resources.crop`,
  u.gold as `economy.credits`
from travian.s1_users u
left join (
  select
    owner, sum(pop) as population, count(*) as villages,
    concat('["', group_concat(wref order by wref separator '","'), '"]') as village_ids,
    floor(sum(wood)) as wood, floor(sum(clay)) as clay, floor(sum(iron)) as iron, floor(sum(crop)) as crop
  from travian.s1_vdata group by owner
) v on v.owner = u.id
where u.id > 5 and u.tribe in (1, 2, 3);

create or replace view chancery_out.alliance as
select a.id, a.name, a.tag, nullif(a.`desc`, '') as description
from travian.s1_alidata a;

create or replace view chancery_out.alliance_member as
select
  u.id as nation_id,
  u.alliance as alliance_id,
  case when a.leader = u.id then 'leader' when p.id is not null then 'officer' else 'member' end as `rank`,
  nullif(u.alliance_joined, 0) as joined_at
from travian.s1_users u
join travian.s1_alidata a on a.id = u.alliance
left join travian.s1_ali_permission p on p.uid = u.id and p.alliance = u.alliance and p.opt1 + p.opt2 + p.opt3 + p.opt4 > 0
where u.id > 5 and u.tribe in (1, 2, 3);

-- Diplomacy of the types 1 and 2 is a treaty, 3 a war that both alliances agreed to. Its times are not stored.
create or replace view chancery_out.treaty as
select
  d.id,
  json_array(cast(d.alli1 as char), cast(d.alli2 as char)) as alliance_ids,
  case d.type when 1 then 'confederacy' else 'non_aggression' end as type
from travian.s1_diplomacy d
where d.accepted = 1 and d.type in (1, 2);
