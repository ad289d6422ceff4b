-- How many wars of each status there are: in all (both empty), of an alliance (the other empty), and between two of them, the lesser id
-- first. Of any set of alliances it is the sum of theirs without what is between two of them.
create table chancery_world.war_count (
  alliance_id text collate "C" not null,
  other_id text collate "C" not null,
  status text not null,
  wars bigint not null,
  primary key (alliance_id, other_id, status)
) with (fillfactor = 85);
insert into chancery_world.war_count (alliance_id, other_id, status, wars)
select cell.alliance_id, cell.other_id, w.status, count(*)
from (
  select status, coalesce(attacker_alliance_id, '') as one, coalesce(defender_alliance_id, '') as other from chancery_world.war
) w, lateral (
  select '' as alliance_id, '' as other_id
  union all
  select distinct id, '' from unnest(array[w.one, w.other]) as side (id) where id <> ''
  union all
  select least(w.one, w.other), greatest(w.one, w.other) where w.one <> '' and w.other <> '' and w.one <> w.other
) cell
group by 1, 2, 3;
grant select on chancery_world.war_count to chancery_public, chancery_owner, chancery_ingest;
grant insert, update, delete on chancery_world.war_count to chancery_ingest;

-- Whoever goes through wars in their order for those of some alliances needs no row of those that come before the page.
drop index chancery_world.war_declared;
drop index chancery_world.war_status;
create index war_declared on chancery_world.war (declared_at desc, id) include (attacker_alliance_id, defender_alliance_id);
create index war_status on chancery_world.war (status, declared_at desc, id) include (attacker_alliance_id, defender_alliance_id);
