-- Scores change with nearly every fact. While an index holds them, each change of a row writes to all indexes of its table; nothing reads
-- by these any more, since lists read by places.
drop index chancery_world.nation_national_score;
drop index chancery_world.alliance_total_score;
-- Room on each page, so that a changed row finds place beside the old one, and indexes are left alone.
alter table chancery_world.nation set (fillfactor = 85);
alter table chancery_secret.nation_private set (fillfactor = 85);
alter table chancery_world.alliance set (fillfactor = 70);

-- Which nations batches wrote, and into which version of the world: a ranking round looks at these instead of comparing all nations
-- while batches wait for it. The round empties it. It tells of secret changes too, so it is not for the world's readers.
create table chancery_secret.nation_changed (
  world_version bigint not null,
  nation_id text collate "C" not null
);
grant select, insert, truncate on chancery_secret.nation_changed to chancery_ingest;
