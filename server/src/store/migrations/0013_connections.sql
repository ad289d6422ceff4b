-- Connecting a game: who may come in by the private door, feeds whose batches build on each other, refused batches that are kept,
-- redactions to be repeated after a restore, eras that the world was reset with, and gaps that a restore leaves in the log.

create table chancery_access.operator_token (
  id text collate "C" primary key,
  name text not null,
  hash bytea not null unique,
  roles text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create table chancery_access.operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  token_id text collate "C" not null,
  token_name text not null,
  action text not null,
  subject text,
  status smallint not null
);
create index operator_log_at on chancery_access.operator_log using brin (at);
grant select, insert, update, delete on chancery_access.operator_token, chancery_access.operator_log to chancery_access;

create table chancery_secret.feed (
  name text collate "C" primary key,
  last_batch text collate "C" not null,
  applied_at timestamptz not null
);

create table chancery_secret.refused_batch (
  id text collate "C" primary key,
  feed text collate "C",
  first_refused_at timestamptz not null,
  last_refused_at timestamptz not null,
  tries integer not null default 1,
  is_announced boolean not null,
  facts bigint not null,
  bytes bigint not null,
  -- The facts as they were sent, a line each; null where they are too many to keep.
  content text,
  refusals jsonb not null,
  -- The batch that changed one of its things since: sent as it is, it would turn back time.
  overtaken_by text collate "C"
);
create index refused_batch_refused on chancery_secret.refused_batch (last_refused_at);
create table chancery_secret.refused_thing (
  resource text not null,
  id text collate "C" not null,
  batch text collate "C" not null references chancery_secret.refused_batch (id) on delete cascade,
  primary key (resource, id, batch)
);
create index refused_thing_batch on chancery_secret.refused_thing (batch);

create table chancery_secret.redaction (
  number bigint generated always as identity primary key,
  op text not null check (op in ('redact', 'erase')),
  at timestamptz not null,
  -- What was asked for; it holds what stands there now, never what stood there.
  fact jsonb not null
);

alter table chancery_world.tombstone add column retired_with text collate "C";
create table chancery_world.era_reset (
  era_id text collate "C" primary key,
  at timestamptz not null,
  logged_at timestamptz not null
);
create table chancery_world.log_gap (
  last_before bigint primary key,
  first_after bigint not null
);

create table chancery_meta.game_profile (
  is_only boolean primary key default true check (is_only),
  profile jsonb not null,
  adopted_at timestamptz not null default now()
);

grant select, insert, update, delete on chancery_secret.feed, chancery_secret.refused_batch, chancery_secret.refused_thing,
  chancery_secret.redaction, chancery_world.era_reset, chancery_world.log_gap to chancery_ingest;
grant select on chancery_world.era_reset, chancery_world.log_gap to chancery_public, chancery_owner, chancery_outbound;
create index batch_applied on chancery_secret.batch (applied_at);
