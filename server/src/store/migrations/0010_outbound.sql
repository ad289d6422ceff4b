-- Webhooks: who wants to hear of what, and the queue of deliveries, which is also their book.

do $$
begin
  begin
    create role chancery_outbound nologin;
  exception when duplicate_object or unique_violation then null;
  end;
  if not pg_has_role(current_user, 'chancery_outbound', 'member') then
    grant chancery_outbound to current_user;
  end if;
end $$;

create schema chancery_outbound;

create table chancery_outbound.endpoint (
  id text collate "C" primary key,
  player_id text collate "C" not null,
  url text not null,
  description text not null,
  -- What it wants to hear; null for all. Kinds and families; ids.
  types text[],
  nation_ids text[],
  alliance_ids text[],
  status text not null check (status in ('unconfirmed', 'active', 'disabled')),
  disabled_reason text check ((disabled_reason is not null) = (status = 'disabled')),
  disabled_at timestamptz,
  created_at timestamptz not null,
  -- While active: it hears what was logged after this number.
  heard_seq bigint not null default 0,
  -- A secret signs, so it has to be readable. The one before it signs beside it for a while.
  secret text not null,
  secret_made_at timestamptz not null,
  previous_secret text,
  previous_secret_ends_at timestamptz,
  -- The spell of failures that is going on, and its latest one; null while attempts succeed.
  failing_since timestamptz,
  last_failed_at timestamptz,
  last_delivered_at timestamptz
);
create index endpoint_player on chancery_outbound.endpoint (player_id);

-- What the owner was told of a spell of failures.
create table chancery_outbound.warning (
  endpoint_id text collate "C" not null references chancery_outbound.endpoint on delete cascade,
  -- Percent of the time after which it is switched off.
  percent smallint not null,
  warned_at timestamptz not null,
  primary key (endpoint_id, percent)
);

create table chancery_outbound.delivery (
  id bigint generated always as identity primary key,
  endpoint_id text collate "C" not null,
  -- The event's number in the log; null for a test.
  seq bigint,
  -- pending: waits until due. sending: a worker has it until due, then it is anybody's. delivered, failed: settled.
  state text not null check (state in ('pending', 'sending', 'delivered', 'failed')),
  due_at timestamptz not null,
  -- How many attempts were begun. A worker writes only over the attempt that it began itself.
  attempt integer not null default 0,
  -- How many in a row failed since it was queued or replayed: its place in the table of retries.
  failures smallint not null default 0,
  created_at timestamptz not null,
  settled_at timestamptz,
  unique (endpoint_id, seq)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
-- What is due of an endpoint, in the order of the log.
create index delivery_due on chancery_outbound.delivery (endpoint_id, due_at, seq) where state in ('pending', 'sending');
create index delivery_under_way on chancery_outbound.delivery (endpoint_id) where state = 'sending';
create index delivery_created on chancery_outbound.delivery using brin (created_at);

create table chancery_outbound.attempt (
  delivery_id bigint not null,
  number integer not null,
  attempted_at timestamptz not null,
  latency_ms integer not null,
  -- The status that was answered; null where there was no answer, and `error` says why.
  status smallint,
  error text,
  -- The first kilobyte of the answer.
  answer text,
  -- When the next one is due; null where this was the last.
  next_at timestamptz,
  primary key (delivery_id, number)
);
create index attempt_attempted on chancery_outbound.attempt using brin (attempted_at);

-- How far the log has been fanned out. Whoever holds the row is the one who goes on.
create table chancery_outbound.fan_out (
  is_only boolean primary key default true check (is_only),
  seq bigint not null
);
-- What was logged before there were endpoints is no news.
insert into chancery_outbound.fan_out (seq) select seq from chancery_world.pulse;

grant usage on schema chancery_outbound, chancery_world to chancery_outbound;
grant select on chancery_world.event, chancery_world.logging, chancery_world.pulse to chancery_outbound;
grant select, insert, update, delete on all tables in schema chancery_outbound to chancery_outbound;

-- A suspended player's keys open nothing, and nothing is delivered for them.
create table chancery_access.suspension (
  player_id text collate "C" primary key,
  suspended_at timestamptz not null,
  note text
);
grant select, insert, update, delete on chancery_access.suspension to chancery_access;
grant usage on schema chancery_access to chancery_outbound;
grant select on chancery_access.suspension to chancery_outbound;
