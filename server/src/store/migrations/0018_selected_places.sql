-- Lists of nations by alliance, status and score are read and counted by places: what they cost is what they select.
alter table chancery_world.nation_place
  -- Empty: in none. Null in what a round of an earlier version wrote; the next round fills it.
  add column alliance_id text collate "C";
update chancery_world.nation_place p set alliance_id = coalesce(
  (select m.alliance_id from chancery_world.alliance_member m where m.nation_id = p.nation_id), '');
create index nation_place_alliance on chancery_world.nation_place (alliance_id, position) include (status);
-- What most nations are is counted by what the others are.
create index nation_place_status on chancery_world.nation_place (status, position) where status <> 'active';

-- Places whose nation is gone, is younger than the latest round, or may have another score than in it. All others are in the order of
-- their scores, without gaps.
create table chancery_world.nation_moved (position bigint primary key);
insert into chancery_world.nation_moved
select position from chancery_world.nation_place where rank is null or score_now is distinct from national_score;
insert into chancery_world.nation_moved
select g.position from chancery_world.ranking_round r, generate_series(1, r.nations) as g (position)
where not exists (select from chancery_world.nation_place p where p.position = g.position);
grant select on chancery_world.nation_moved to chancery_public, chancery_owner, chancery_ingest;
grant insert, update, delete on chancery_world.nation_moved to chancery_ingest;
