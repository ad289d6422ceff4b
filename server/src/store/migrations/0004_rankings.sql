-- A ranking round writes every place into a fresh table that is swapped in whole.

create table chancery_world.nation_place (
  position bigint primary key,
  nation_id text collate "C" not null unique,
  rank bigint not null,
  previous_rank bigint,
  national_score numeric(14, 4) not null
);
create table chancery_world.alliance_place (
  position bigint primary key,
  alliance_id text collate "C" not null unique,
  rank bigint not null,
  previous_rank bigint,
  total_score numeric not null
);
alter table chancery_world.nation_place owner to chancery_ingest;
alter table chancery_world.alliance_place owner to chancery_ingest;

-- Ranks at the end of yesterday (UTC), for previous_rank.
create table chancery_world.nation_yesterday (nation_id text collate "C" primary key, rank bigint not null);
create table chancery_world.alliance_yesterday (alliance_id text collate "C" primary key, rank bigint not null);

create table chancery_world.ranking_round (
  is_only boolean primary key default true check (is_only),
  -- The version of the world that the round saw.
  world_version bigint not null default 0,
  day date,
  nations bigint not null default 0,
  alliances bigint not null default 0
);
insert into chancery_world.ranking_round default values;
