-- Statuses of nations and outcomes of wars that the game has besides the fixed ones.
alter table chancery_world.nation add column game_status text;
alter table chancery_world.war add column game_outcome text;

-- Rankings by attributes of the game profile: each ranking round writes new tables.
create table chancery_world.nation_attribute_ranking (
  attribute text collate "C" not null,
  position bigint not null,
  nation_id text collate "C" not null,
  rank bigint not null,
  previous_rank bigint,
  value numeric not null,
  primary key (attribute, position),
  unique (nation_id, attribute)
);
create table chancery_world.alliance_attribute_ranking (
  attribute text collate "C" not null,
  position bigint not null,
  alliance_id text collate "C" not null,
  rank bigint not null,
  previous_rank bigint,
  value numeric not null,
  primary key (attribute, position),
  unique (alliance_id, attribute)
);
alter table chancery_world.nation_attribute_ranking owner to chancery_ingest;
alter table chancery_world.alliance_attribute_ranking owner to chancery_ingest;
-- Positions of nations that were deleted since the round.
create table chancery_world.nation_attribute_ranking_gap (
  attribute text collate "C" not null,
  position bigint not null,
  primary key (attribute, position)
);
grant select on chancery_world.nation_attribute_ranking, chancery_world.alliance_attribute_ranking,
  chancery_world.nation_attribute_ranking_gap to chancery_public, chancery_owner;
grant select, insert, update, delete on chancery_world.nation_attribute_ranking_gap to chancery_ingest;

-- Rounds rank by the attributes of the profile that the database is served with.
grant usage on schema chancery_meta to chancery_ingest;
grant select (profile) on chancery_meta.game_profile to chancery_ingest;
