-- The log: numbered in commit order without gaps, and numbered again within each kind, so that the log and each kind
-- are paged by ranges of numbers at any depth for the same cost.

create table chancery_world.event (
  seq bigint primary key,
  type text not null,
  kind_number bigint not null,
  occurred_at timestamptz not null,
  summary text not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null,
  war_id text collate "C",
  conflict_id text collate "C",
  -- json, not jsonb: members leave in the order of the contract.
  data json not null,
  -- false: history, which is neither streamed nor delivered as news.
  is_announced boolean not null
);
create unique index event_kind_number on chancery_world.event (type, kind_number);
create index event_kind_seq on chancery_world.event (type, seq) include (kind_number);
create index event_war on chancery_world.event (war_id, seq) where war_id is not null;

create table chancery_world.event_nation (
  nation_id text collate "C" not null,
  seq bigint not null,
  type text not null,
  primary key (nation_id, seq)
);

create table chancery_world.event_alliance (
  alliance_id text collate "C" not null,
  seq bigint not null,
  type text not null,
  primary key (alliance_id, seq)
);

create table chancery_world.event_kind (
  type text primary key,
  last_number bigint not null
);

-- When each span of the log was written. Never runs backwards.
create table chancery_world.logging (
  last_seq bigint primary key,
  first_seq bigint not null,
  logged_at timestamptz not null
);
create index logging_logged_at on chancery_world.logging (logged_at);

-- The row that every process reads to know whether what it remembers of the world still holds.
create table chancery_world.pulse (
  is_only boolean primary key default true check (is_only),
  -- The newest number in the log.
  seq bigint not null default 0,
  -- The oldest number that is kept.
  first_seq bigint not null default 1,
  world_version bigint not null default 0,
  world_changed_at timestamptz
);
insert into chancery_world.pulse default values;
