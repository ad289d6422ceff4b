-- Snapshots of the world as files for download. A snapshot without a row here is withdrawn: its chunks are deleted later.
create table chancery_world.snapshot (
  id text collate "C" not null primary key,
  created_at timestamptz not null,
  reason text not null,
  change_seq bigint not null,
  event_seq bigint not null,
  files jsonb not null
);
create table chancery_world.snapshot_chunk (
  snapshot_id text collate "C" not null,
  resource text collate "C" not null,
  number bigint not null,
  data bytea not null,
  primary key (snapshot_id, resource, number)
);
-- Compressed already.
alter table chancery_world.snapshot_chunk alter data set storage external;
grant select, insert, delete on chancery_world.snapshot, chancery_world.snapshot_chunk to chancery_ingest;
grant select on chancery_world.snapshot, chancery_world.snapshot_chunk to chancery_public;
-- How often snapshots were withdrawn: one that was read before is not stored afterwards. And the pause between two, for all processes.
alter table chancery_world.pulse add snapshot_version bigint not null default 0, add snapshots_paused_until timestamptz;
