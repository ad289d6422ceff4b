-- One point a day of every nation and alliance. A row has a day of a block of nations, each at the place of its number, as
-- server/src/resources/history/nations.ts writes and reads it: a row for each point would take ten times the space.
create table chancery_world.nation_history_number (
  number integer primary key,
  nation_id text collate "C",
  -- Since when the number has no nation. It is used again once no kept day has values of the previous one.
  freed_on date
);
create unique index nation_history_number_current on chancery_world.nation_history_number (nation_id) where freed_on is null;

create table chancery_world.alliance_history_number (
  number integer primary key,
  alliance_id text collate "C",
  freed_on date
);
create unique index alliance_history_number_current on chancery_world.alliance_history_number (alliance_id) where freed_on is null;

create table chancery_world.nation_history (
  block integer not null,
  day date not null,
  low bytea not null,
  high bytea not null,
  primary key (block, day)
);
create index nation_history_day on chancery_world.nation_history (day);
-- The high bytes are nearly all equal: compressed they take a hundredth. Both stay in the row.
alter table chancery_world.nation_history
  alter column low set storage main,
  alter column high set storage main,
  set (toast_tuple_target = 128);

create table chancery_world.alliance_history (
  block integer not null,
  day date not null,
  total_scores numeric[] not null,
  ranks bigint[] not null,
  member_counts bigint[] not null,
  primary key (block, day)
);
create index alliance_history_day on chancery_world.alliance_history (day);

grant select, insert, update, delete on chancery_world.nation_history_number, chancery_world.alliance_history_number,
  chancery_world.nation_history, chancery_world.alliance_history to chancery_ingest;
grant select on chancery_world.nation_history_number, chancery_world.alliance_history_number,
  chancery_world.nation_history, chancery_world.alliance_history to chancery_public, chancery_owner;
