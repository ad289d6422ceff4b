-- Keys and codes: hashes only. Whoever reads these tables can use none of them.

create table chancery_access.api_key (
  id text collate "C" primary key,
  hash bytea not null unique,
  player_id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  -- Calls in one window; null for the limit of everybody's keys.
  call_limit integer,
  call_limit_note text,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_key_player on chancery_access.api_key (player_id);

create table chancery_access.verification_code (
  hash bytea primary key,
  nation_id text collate "C" not null,
  -- Who led the nation when the code was made: with another leader it proves nothing.
  player_id text collate "C",
  -- The chat account that alone may redeem it.
  bound_to text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  redeemed_at timestamptz,
  redeemed_with_key text
);
create index verification_code_nation on chancery_access.verification_code (nation_id);
create index verification_code_created on chancery_access.verification_code (created_at);

-- The row that every process reads to know whether the keys it remembers still hold. Apart from the world's, so that a
-- revocation never waits for a batch.
create table chancery_access.pulse (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 0
);
insert into chancery_access.pulse default values;
