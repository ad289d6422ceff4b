-- How often keys and addresses call, and a line for each call: the request journal. Unlogged, because they are written all the
-- time and are worth less than what that would cost: a crash of the database server empties them, and nothing depends on them.
-- There is an operation's name in them, never a path or a query: codes and searches stand there.

-- A call with a key names the key alone; one without names its address (of IPv6 the /64) alone. Whatever names an address is
-- forgotten after 48 hours, the rest after 7 days, and both sooner where there are more lines than the journal may have.
create unlogged table chancery_access.key_call (
  -- Without a gap but for what was rolled back: the first and the last number bound how many there are.
  id bigint generated always as identity primary key,
  request_id text collate "C" not null,
  at timestamptz not null,
  key_id text collate "C" not null,
  -- `none` where the path names no operation.
  operation text collate "C" not null,
  status smallint not null,
  duration_us integer not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index key_call_request on chancery_access.key_call using hash (request_id);
create index key_call_key on chancery_access.key_call (key_id, at);
create index key_call_at on chancery_access.key_call using brin (at);

create unlogged table chancery_access.address_call (
  id bigint generated always as identity primary key,
  request_id text collate "C" not null,
  at timestamptz not null,
  address text collate "C" not null,
  operation text collate "C" not null,
  status smallint not null,
  duration_us integer not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index address_call_request on chancery_access.address_call using hash (request_id);
create index address_call_at on chancery_access.address_call using brin (at);

-- Counts are exact also where lines are left out. Several processes add to one row.
create unlogged table chancery_access.key_minute (
  key_id text collate "C" not null,
  minute timestamptz not null,
  calls bigint not null,
  -- Of them, refused with 429.
  limited bigint not null,
  primary key (key_id, minute)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create unlogged table chancery_access.key_hour (
  key_id text collate "C" not null,
  hour timestamptz not null,
  operation text collate "C" not null,
  status smallint not null,
  calls bigint not null,
  primary key (key_id, hour, operation, status)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index key_hour_hour on chancery_access.key_hour using brin (hour);

-- Calls without a valid key. `other` stands for all addresses beyond as many as are counted one by one.
create unlogged table chancery_access.address_hour (
  hour timestamptz not null,
  address text collate "C" not null,
  calls bigint not null,
  limited bigint not null,
  -- Of them, refused with 401: most of them presented what is no key.
  refused bigint not null,
  primary key (hour, address)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

grant select, insert, update, delete on chancery_access.key_call, chancery_access.address_call, chancery_access.key_minute,
  chancery_access.key_hour, chancery_access.address_hour to chancery_access;
