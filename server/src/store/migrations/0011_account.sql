-- The developer settings: how players come in, who is signed in, and what they did there.

-- Hashes only, as of keys and codes.
create table chancery_access.handover (
  hash bytea primary key,
  player_id text collate "C" not null,
  landing text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table chancery_access.session (
  hash bytea primary key,
  player_id text collate "C" not null,
  landing text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index session_player on chancery_access.session (player_id) where ended_at is null;

create table chancery_access.account_log (
  id bigint generated always as identity primary key,
  player_id text collate "C" not null,
  at timestamptz not null,
  action text not null,
  -- The id of what it was done to.
  subject text,
  -- More for people, never a secret.
  detail text
);
create index account_log_player on chancery_access.account_log (player_id, id);
create index account_log_at on chancery_access.account_log using brin (at);

-- How a key begins, by which its owner knows it again; null for keys made before this was kept.
alter table chancery_access.api_key add column prefix text;

-- The latest wish of a key's owner for a higher limit. The operator answers by giving the key a limit.
create table chancery_access.limit_request (
  key_id text collate "C" primary key references chancery_access.api_key on delete cascade,
  calls_per_minute integer not null,
  sentence text not null,
  asked_at timestamptz not null,
  answered_at timestamptz,
  note text
);

-- By which a code can be named without being known.
alter table chancery_access.verification_code
  add column id text collate "C" not null unique default 'code_' || replace(gen_random_uuid()::text, '-', '');

grant select, insert, update, delete
  on chancery_access.handover, chancery_access.session, chancery_access.account_log, chancery_access.limit_request
  to chancery_access;
