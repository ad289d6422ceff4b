-- The database as the migrations leave it, read from its catalogs: made by `npm run schema`, to be read and compared.
-- What changes the database is a new file in migrations/. Tables and functions without an owner here belong to the role that migrates.

create extension pg_trgm;

create schema chancery_access;
grant usage on schema chancery_access to chancery_access;
grant usage on schema chancery_access to chancery_outbound;

create table chancery_access.account_log (
  id bigint generated always as identity not null,
  player_id text collate "C" not null,
  at timestamp with time zone not null,
  action text not null,
  subject text,
  detail text,
  browser text,
  network text,
  constraint account_log_pkey PRIMARY KEY (id)
);
CREATE INDEX account_log_at ON chancery_access.account_log USING brin (at);
CREATE INDEX account_log_player ON chancery_access.account_log USING btree (player_id, id);
grant delete, insert, select, update on chancery_access.account_log to chancery_access;

create table chancery_access.address_limit (
  address text collate "C" not null,
  calls_per_minute integer not null,
  note text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint address_limit_pkey PRIMARY KEY (address),
  constraint address_limit_calls_per_minute_check CHECK ((calls_per_minute >= 0))
);
grant delete, insert, select, update on chancery_access.address_limit to chancery_access;

create unlogged table chancery_access.address_request (
  id bigint generated always as identity not null,
  request_id text collate "C" not null,
  at timestamp with time zone not null,
  address text collate "C" not null,
  operation text collate "C" not null,
  status smallint not null,
  duration_us integer not null,
  error_code text collate "C",
  error_parameter text collate "C",
  constraint address_request_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX address_request_at ON chancery_access.address_request USING brin (at);
CREATE INDEX address_request_request ON chancery_access.address_request USING hash (request_id);
grant delete, insert, select, update on chancery_access.address_request to chancery_access;

create unlogged table chancery_access.address_usage_hour (
  hour timestamp with time zone not null,
  address text collate "C" not null,
  calls bigint not null,
  limited bigint not null,
  rejected bigint not null,
  constraint address_usage_hour_pkey PRIMARY KEY (hour, address)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
grant delete, insert, select, update on chancery_access.address_usage_hour to chancery_access;

create table chancery_access.api_key (
  id text collate "C" not null,
  hash bytea not null,
  player_id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  call_limit integer,
  call_limit_note text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  prefix text,
  window_id text collate "C",
  replaced_by text collate "C",
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_hash_key UNIQUE (hash)
);
CREATE INDEX api_key_player ON chancery_access.api_key USING btree (player_id);
grant delete, insert, select, update on chancery_access.api_key to chancery_access;

create table chancery_access.audit_log (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  token_id text collate "C" not null,
  token_name text not null,
  action text not null,
  subject text,
  status smallint not null,
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_at ON chancery_access.audit_log USING brin (at);
CREATE INDEX audit_log_changes ON chancery_access.audit_log USING btree (id) WHERE (action <> 'POST /facts'::text);
CREATE INDEX audit_log_subject ON chancery_access.audit_log USING btree (subject COLLATE "C") WHERE (action <> 'POST /facts'::text);
grant delete, insert, select, update on chancery_access.audit_log to chancery_access;

create table chancery_access.handover (
  hash bytea not null,
  player_id text collate "C" not null,
  landing text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint handover_pkey PRIMARY KEY (hash)
);
grant delete, insert, select, update on chancery_access.handover to chancery_access;

create unlogged table chancery_access.key_request (
  id bigint generated always as identity not null,
  request_id text collate "C" not null,
  at timestamp with time zone not null,
  key_id text collate "C" not null,
  operation text collate "C" not null,
  status smallint not null,
  duration_us integer not null,
  error_code text collate "C",
  error_parameter text collate "C",
  constraint key_request_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX key_request_at ON chancery_access.key_request USING brin (at);
CREATE INDEX key_request_key ON chancery_access.key_request USING btree (key_id, at);
CREATE INDEX key_request_request ON chancery_access.key_request USING hash (request_id);
grant delete, insert, select, update on chancery_access.key_request to chancery_access;

create unlogged table chancery_access.key_usage_hour (
  key_id text collate "C" not null,
  hour timestamp with time zone not null,
  operation text collate "C" not null,
  status smallint not null,
  calls bigint not null,
  deprecated bigint default 0 not null,
  error_code text collate "C" default ''::text not null,
  error_parameter text collate "C" default ''::text not null,
  constraint key_usage_hour_pkey PRIMARY KEY (key_id, hour, operation, status, error_code, error_parameter)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX key_usage_hour_hour ON chancery_access.key_usage_hour USING brin (hour);
grant delete, insert, select, update on chancery_access.key_usage_hour to chancery_access;

create unlogged table chancery_access.key_usage_minute (
  key_id text collate "C" not null,
  minute timestamp with time zone not null,
  calls bigint not null,
  limited bigint not null,
  constraint key_usage_minute_pkey PRIMARY KEY (key_id, minute)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
grant delete, insert, select, update on chancery_access.key_usage_minute to chancery_access;

create table chancery_access.limit_request (
  key_id text collate "C" not null,
  calls_per_minute integer not null,
  reason text not null,
  requested_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  note text,
  notified_at timestamp with time zone,
  notifying_until timestamp with time zone,
  constraint limit_request_pkey PRIMARY KEY (key_id),
  constraint limit_request_key_id_fkey FOREIGN KEY (key_id) REFERENCES chancery_access.api_key(id) ON DELETE CASCADE
);
CREATE INDEX limit_request_pending ON chancery_access.limit_request USING btree (requested_at, key_id) WHERE (resolved_at IS NULL);
grant delete, insert, select, update on chancery_access.limit_request to chancery_access;

create table chancery_access.operator_token (
  id text collate "C" not null,
  name text not null,
  hash bytea not null,
  roles text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint operator_token_pkey PRIMARY KEY (id),
  constraint operator_token_hash_key UNIQUE (hash)
);
grant delete, insert, select, update on chancery_access.operator_token to chancery_access;

create table chancery_access.pulse (
  is_only boolean default true not null,
  version bigint default 0 not null,
  server_started_at timestamp with time zone,
  constraint pulse_pkey PRIMARY KEY (is_only),
  constraint pulse_is_only_check CHECK (is_only)
);
grant delete, insert, select, update on chancery_access.pulse to chancery_access;

create table chancery_access.session (
  hash bytea not null,
  player_id text collate "C" not null,
  landing text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint session_pkey PRIMARY KEY (hash)
);
CREATE INDEX session_player ON chancery_access.session USING btree (player_id) WHERE (ended_at IS NULL);
grant delete, insert, select, update on chancery_access.session to chancery_access;

create table chancery_access.suspension (
  player_id text collate "C" not null,
  suspended_at timestamp with time zone not null,
  note text,
  constraint suspension_pkey PRIMARY KEY (player_id)
);
grant delete, insert, select, update on chancery_access.suspension to chancery_access;
grant select on chancery_access.suspension to chancery_outbound;

create table chancery_access.verification_code (
  hash bytea not null,
  nation_id text collate "C" not null,
  player_id text collate "C",
  bound_to text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  redeemed_at timestamp with time zone,
  redeemed_with_key text,
  id text collate "C" default ('code_'::text || replace((gen_random_uuid())::text, '-'::text, ''::text)) not null,
  constraint verification_code_pkey PRIMARY KEY (hash),
  constraint verification_code_id_key UNIQUE (id)
);
CREATE INDEX verification_code_created ON chancery_access.verification_code USING btree (created_at);
CREATE INDEX verification_code_nation ON chancery_access.verification_code USING btree (nation_id);
grant delete, insert, select, update on chancery_access.verification_code to chancery_access;

create schema chancery_meta;
grant usage on schema chancery_meta to chancery_ingest;

create table chancery_meta.game_profile (
  is_only boolean default true not null,
  profile jsonb not null,
  adopted_at timestamp with time zone default now() not null,
  constraint game_profile_pkey PRIMARY KEY (is_only),
  constraint game_profile_is_only_check CHECK (is_only)
);
grant select (profile) on chancery_meta.game_profile to chancery_ingest;

create table chancery_meta.migration (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migration_pkey PRIMARY KEY (number)
);

create schema chancery_outbound;
grant usage on schema chancery_outbound to chancery_access;
grant usage on schema chancery_outbound to chancery_outbound;

create table chancery_outbound.attempt (
  delivery_id bigint not null,
  number integer not null,
  attempted_at timestamp with time zone not null,
  latency_ms integer not null,
  status smallint,
  error text,
  response text,
  next_at timestamp with time zone,
  signature text,
  user_agent text,
  constraint attempt_pkey PRIMARY KEY (delivery_id, number)
);
CREATE INDEX attempt_attempted ON chancery_outbound.attempt USING brin (attempted_at);
grant delete, insert, select, update on chancery_outbound.attempt to chancery_outbound;

create table chancery_outbound.delivery (
  id bigint generated always as identity not null,
  endpoint_id text collate "C" not null,
  seq bigint,
  state text not null,
  due_at timestamp with time zone not null,
  attempt integer default 0 not null,
  failures smallint default 0 not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  drops_responses boolean default false not null,
  test_id uuid,
  constraint delivery_pkey PRIMARY KEY (id),
  constraint delivery_endpoint_id_seq_key UNIQUE (endpoint_id, seq),
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.1);
CREATE INDEX delivery_created ON chancery_outbound.delivery USING brin (created_at);
CREATE INDEX delivery_due ON chancery_outbound.delivery USING btree (endpoint_id, due_at, seq) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX delivery_in_flight ON chancery_outbound.delivery USING btree (endpoint_id) WHERE (state = 'sending'::text);
grant delete, insert, select, update on chancery_outbound.delivery to chancery_outbound;

create table chancery_outbound.endpoint (
  id text collate "C" not null,
  player_id text collate "C" not null,
  url text not null,
  description text not null,
  types text[],
  nation_ids text[],
  alliance_ids text[],
  status text not null,
  disabled_reason text,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  subscribed_from_seq bigint default 0 not null,
  secret text not null,
  secret_created_at timestamp with time zone not null,
  previous_secret text,
  previous_secret_ends_at timestamp with time zone,
  failing_since timestamp with time zone,
  last_failed_at timestamp with time zone,
  last_delivered_at timestamp with time zone,
  slow_at timestamp with time zone,
  slow_ms integer,
  older_secrets jsonb default '[]'::jsonb not null,
  last_failed_status smallint,
  last_failed_error text,
  constraint endpoint_pkey PRIMARY KEY (id),
  constraint endpoint_check CHECK (((disabled_reason IS NOT NULL) = (status = 'disabled'::text))),
  constraint endpoint_status_check CHECK ((status = ANY (ARRAY['unconfirmed'::text, 'active'::text, 'disabled'::text])))
);
CREATE INDEX endpoint_player ON chancery_outbound.endpoint USING btree (player_id);
grant select (player_id) on chancery_outbound.endpoint to chancery_access;
grant delete, insert, select, update on chancery_outbound.endpoint to chancery_outbound;

create table chancery_outbound.fan_out (
  is_only boolean default true not null,
  seq bigint not null,
  constraint fan_out_pkey PRIMARY KEY (is_only),
  constraint fan_out_is_only_check CHECK (is_only)
);
grant delete, insert, select, update on chancery_outbound.fan_out to chancery_outbound;

create table chancery_outbound.warning (
  endpoint_id text collate "C" not null,
  percent smallint not null,
  warned_at timestamp with time zone not null,
  constraint warning_pkey PRIMARY KEY (endpoint_id, percent),
  constraint warning_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES chancery_outbound.endpoint(id) ON DELETE CASCADE
);
grant delete, insert, select, update on chancery_outbound.warning to chancery_outbound;

create schema chancery_secret;
grant usage on schema chancery_secret to chancery_access;
grant usage on schema chancery_secret to chancery_ingest;
grant usage on schema chancery_secret to chancery_owner;

create table chancery_secret.alliance_application (
  nation_id text collate "C" not null,
  alliance_id text collate "C" not null,
  applied_at timestamp with time zone,
  constraint alliance_application_pkey PRIMARY KEY (nation_id)
);
grant delete, insert, select, update on chancery_secret.alliance_application to chancery_ingest;

create table chancery_secret.alliance_private (
  alliance_id text collate "C" not null,
  treasury jsonb,
  moderation_notes text,
  attributes jsonb default '{}'::jsonb not null,
  admin_attributes jsonb default '{}'::jsonb not null,
  constraint alliance_private_pkey PRIMARY KEY (alliance_id)
);
grant delete, insert, select, update on chancery_secret.alliance_private to chancery_ingest;
grant select (alliance_id, treasury, attributes) on chancery_secret.alliance_private to chancery_owner;

create table chancery_secret.batch (
  id text collate "C" not null,
  content_hash bytea not null,
  applied_at timestamp with time zone not null,
  facts bigint not null,
  events bigint not null,
  last_seq bigint not null,
  constraint batch_pkey PRIMARY KEY (id)
);
CREATE INDEX batch_applied ON chancery_secret.batch USING btree (applied_at);
grant delete, insert, select, update on chancery_secret.batch to chancery_ingest;

create table chancery_secret.dead_letter (
  id text collate "C" not null,
  feed text collate "C",
  first_rejected_at timestamp with time zone not null,
  last_rejected_at timestamp with time zone not null,
  attempts integer default 1 not null,
  is_announced boolean not null,
  facts bigint not null,
  bytes bigint not null,
  content text,
  rejections jsonb not null,
  superseded_by text collate "C",
  is_set_aside boolean default false not null,
  constraint dead_letter_pkey PRIMARY KEY (id)
);
CREATE INDEX dead_letter_rejected ON chancery_secret.dead_letter USING btree (last_rejected_at);
CREATE INDEX dead_letter_set_aside ON chancery_secret.dead_letter USING btree (first_rejected_at, id) WHERE (is_set_aside AND (superseded_by IS NULL));
grant delete, insert, select, update on chancery_secret.dead_letter to chancery_ingest;

create table chancery_secret.dead_letter_entity (
  resource text not null,
  id text collate "C" not null,
  batch text collate "C" not null,
  constraint dead_letter_entity_pkey PRIMARY KEY (resource, id, batch),
  constraint dead_letter_entity_batch_fkey FOREIGN KEY (batch) REFERENCES chancery_secret.dead_letter(id) ON DELETE CASCADE
);
CREATE INDEX dead_letter_entity_batch ON chancery_secret.dead_letter_entity USING btree (batch);
grant delete, insert, select, update on chancery_secret.dead_letter_entity to chancery_ingest;

create table chancery_secret.dropped_dead_letter (
  number bigint generated always as identity not null,
  id text collate "C" not null,
  feed text collate "C",
  facts bigint not null,
  bytes bigint not null,
  is_listed boolean not null,
  dropped_at timestamp with time zone not null,
  constraint dropped_dead_letter_pkey PRIMARY KEY (number)
);
grant delete, insert, select, update on chancery_secret.dropped_dead_letter to chancery_ingest;

create unlogged table chancery_secret.event_draft (
  line bigint not null,
  ordinal bigint not null,
  type text not null,
  occurred_at timestamp with time zone not null,
  summary text not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null,
  war_id text collate "C",
  conflict_id text collate "C",
  data json not null
);
grant delete, insert, select, truncate on chancery_secret.event_draft to chancery_ingest;

create table chancery_secret.feed (
  name text collate "C" not null,
  last_batch text collate "C" not null,
  applied_at timestamp with time zone not null,
  constraint feed_pkey PRIMARY KEY (name)
);
grant delete, insert, select, update on chancery_secret.feed to chancery_ingest;

create table chancery_secret.heartbeat (
  feed text collate "C" not null,
  heartbeat_at timestamp with time zone not null,
  next_within_seconds bigint,
  read_at timestamp with time zone,
  document jsonb not null,
  constraint heartbeat_pkey PRIMARY KEY (feed)
);
grant delete, insert, select, update on chancery_secret.heartbeat to chancery_ingest;

create table chancery_secret.member_private (
  nation_id text collate "C" not null,
  can_view_treasury boolean,
  constraint member_private_pkey PRIMARY KEY (nation_id)
);
grant delete, insert, select, update on chancery_secret.member_private to chancery_ingest;
grant select on chancery_secret.member_private to chancery_owner;

create table chancery_secret.nation_private (
  nation_id text collate "C" not null,
  military jsonb,
  economy jsonb,
  production jsonb,
  assignments jsonb,
  player text collate "C",
  moderation_notes text,
  attributes jsonb default '{}'::jsonb not null,
  admin_attributes jsonb default '{}'::jsonb not null,
  constraint nation_private_pkey PRIMARY KEY (nation_id)
) with (fillfactor=85);
CREATE INDEX nation_private_player ON chancery_secret.nation_private USING btree (player) WHERE (player IS NOT NULL);
grant select (nation_id, player) on chancery_secret.nation_private to chancery_access;
grant delete, insert, select, update on chancery_secret.nation_private to chancery_ingest;
grant select (nation_id, military, economy, production, assignments, player, attributes) on chancery_secret.nation_private to chancery_owner;

create table chancery_secret.nation_ranking_log (
  world_version bigint not null,
  nation_id text collate "C" not null
);
grant delete, insert, select, truncate on chancery_secret.nation_ranking_log to chancery_ingest;

create table chancery_secret.redaction (
  number bigint generated always as identity not null,
  op text not null,
  at timestamp with time zone not null,
  fact jsonb not null,
  constraint redaction_pkey PRIMARY KEY (number),
  constraint redaction_op_check CHECK ((op = ANY (ARRAY['redact'::text, 'erase'::text])))
);
grant delete, insert, select, update on chancery_secret.redaction to chancery_ingest;

create unlogged table chancery_secret.war_counter_snapshot (
  id text collate "C" not null,
  conflict_id text collate "C" not null,
  status text not null,
  battles_count bigint not null,
  attacker_nation_id text collate "C" not null,
  attacker_alliance_id text collate "C",
  attacker_battles_won bigint not null,
  attacker_losses jsonb not null,
  defender_nation_id text collate "C" not null,
  defender_alliance_id text collate "C",
  defender_battles_won bigint not null,
  defender_losses jsonb not null,
  participants jsonb not null,
  constraint war_counter_snapshot_pkey PRIMARY KEY (id)
);
grant delete, insert, select on chancery_secret.war_counter_snapshot to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_secret.drop_responses(seqs bigint[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  update chancery_outbound.delivery set drops_responses = true where seq = any (seqs) and state = 'sending';
  update chancery_outbound.attempt a set response = null
  from chancery_outbound.delivery d where d.id = a.delivery_id and d.seq = any (seqs) and a.response is not null;
$function$;
grant execute on function chancery_secret.drop_responses(seqs bigint[]) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_secret.erase_player(player text, nations text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  delete from chancery_access.key_request r using chancery_access.api_key k where k.player_id = player and r.key_id = k.id;
  delete from chancery_access.key_usage_minute m using chancery_access.api_key k where k.player_id = player and m.key_id = k.id;
  delete from chancery_access.key_usage_hour h using chancery_access.api_key k where k.player_id = player and h.key_id = k.id;
  delete from chancery_access.api_key where player_id = player;
  delete from chancery_access.verification_code where player_id = player or nation_id = any (nations);
  delete from chancery_access.handover where player_id = player;
  delete from chancery_access.session where player_id = player;
  delete from chancery_access.suspension where player_id = player;
  delete from chancery_access.account_log where player_id = player;
  delete from chancery_outbound.attempt a using chancery_outbound.delivery d, chancery_outbound.endpoint e
  where e.player_id = player and d.endpoint_id = e.id and a.delivery_id = d.id;
  delete from chancery_outbound.delivery d using chancery_outbound.endpoint e where e.player_id = player and d.endpoint_id = e.id;
  delete from chancery_outbound.endpoint where player_id = player;
  -- Every process evicts its cached keys.
  update chancery_access.pulse set version = version + 1;
  select pg_notify('chancery_pulse', '');
$function$;
grant execute on function chancery_secret.erase_player(player text, nations text[]) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_secret.export_player(player text, rows_max bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  nations text[] := array(select nation_id from chancery_secret.nation_private p where p.player = export_player.player);
  keys text[] := array(select id from chancery_access.api_key k where k.player_id = export_player.player);
  endpoints text[] := array(select id from chancery_outbound.endpoint e where e.player_id = export_player.player);
  held record;
  found jsonb;
  result jsonb := '{}';
begin
  for held in
    select n.nspname || '.' || c.relname as name,
      string_agg(format('t.%I', a.attname), ', ' order by a.attnum)
        filter (where a.atttypid <> 'bytea'::regtype and a.attname !~ 'secret') as columns,
      string_agg(case
        when a.attname in ('player', 'player_id') then format('t.%I = $1', a.attname)
        when a.attname = 'nation_id' then 't.nation_id = any ($2)'
        when a.attname = 'key_id' then 't.key_id = any ($3)'
        when a.attname = 'endpoint_id' then 't.endpoint_id = any ($4)'
        when a.attname = 'delivery_id' then 't.delivery_id in (select id from chancery_outbound.delivery where endpoint_id = any ($4))'
        when c.relname = 'nation' and a.attname = 'id' then 't.id = any ($2)'
        when c.relname = 'event' and a.attname = 'seq' then 't.seq in (select seq from chancery_world.event_nation where nation_id = any ($2))'
        when c.relname = 'audit_log' and a.attname = 'subject' then 't.action <> ''POST /facts'' and t.subject = any ($1 || $2 || $3 || $4)'
      end, ' or ') as condition
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('chancery_access', 'chancery_outbound', 'chancery_secret', 'chancery_world')
      and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    group by 1, c.oid order by 1
  loop
    continue when held.condition is null;
    execute format(
      'select jsonb_agg(to_jsonb(r)) from (select %s from %s t where %s limit $5) r', held.columns, held.name, held.condition
    ) into found using player, nations, keys, endpoints, rows_max;
    if found is not null then
      result := result || jsonb_build_object(held.name, found);
    end if;
  end loop;
  return result;
end $function$;
grant execute on function chancery_secret.export_player(player text, rows_max bigint) to chancery_ingest;

create schema chancery_world;
grant usage on schema chancery_world to chancery_access;
grant create, usage on schema chancery_world to chancery_ingest;
grant usage on schema chancery_world to chancery_outbound;
grant usage on schema chancery_world to chancery_owner;
grant usage on schema chancery_world to chancery_public;

create table chancery_world.alliance (
  id text collate "C" not null,
  name text not null,
  tag text not null,
  color text,
  flag_url text,
  description text,
  founded_at timestamp with time zone,
  recruiting boolean,
  attributes jsonb default '{}'::jsonb not null,
  updated_at timestamp with time zone not null,
  search_text text collate "C" not null,
  member_count bigint default 0 not null,
  total_score numeric default 0 not null,
  wars_active bigint default 0 not null,
  wars_won bigint default 0 not null,
  wars_lost bigint default 0 not null,
  constraint alliance_pkey PRIMARY KEY (id)
) with (fillfactor=70);
CREATE INDEX alliance_search ON chancery_world.alliance USING gin (search_text public.gin_trgm_ops);
grant select on chancery_world.alliance to chancery_access;
grant delete, insert, select, update on chancery_world.alliance to chancery_ingest;
grant select on chancery_world.alliance to chancery_owner;
grant select on chancery_world.alliance to chancery_public;

create table chancery_world.alliance_attribute_ranking (
  attribute text collate "C" not null,
  "position" bigint not null,
  alliance_id text collate "C" not null,
  rank bigint not null,
  previous_rank bigint,
  value numeric not null,
  constraint alliance_attribute_ranking_pkey PRIMARY KEY (attribute, "position"),
  constraint alliance_attribute_ranking_alliance_id_attribute_key UNIQUE (alliance_id, attribute)
);
alter table chancery_world.alliance_attribute_ranking owner to chancery_ingest;
grant select on chancery_world.alliance_attribute_ranking to chancery_owner;
grant select on chancery_world.alliance_attribute_ranking to chancery_public;

create table chancery_world.alliance_history (
  block integer not null,
  day date not null,
  total_scores numeric[] not null,
  ranks bigint[] not null,
  member_counts bigint[] not null,
  constraint alliance_history_pkey PRIMARY KEY (block, day)
);
CREATE INDEX alliance_history_day ON chancery_world.alliance_history USING btree (day);
grant delete, insert, select, update on chancery_world.alliance_history to chancery_ingest;
grant select on chancery_world.alliance_history to chancery_owner;
grant select on chancery_world.alliance_history to chancery_public;

create table chancery_world.alliance_history_number (
  number integer not null,
  alliance_id text collate "C",
  freed_on date,
  constraint alliance_history_number_pkey PRIMARY KEY (number)
);
CREATE UNIQUE INDEX alliance_history_number_current ON chancery_world.alliance_history_number USING btree (alliance_id) WHERE (freed_on IS NULL);
grant delete, insert, select, update on chancery_world.alliance_history_number to chancery_ingest;
grant select on chancery_world.alliance_history_number to chancery_owner;
grant select on chancery_world.alliance_history_number to chancery_public;

create table chancery_world.alliance_member (
  nation_id text collate "C" not null,
  alliance_id text collate "C" not null,
  rank text not null,
  joined_at timestamp with time zone,
  constraint alliance_member_pkey PRIMARY KEY (nation_id)
);
CREATE INDEX alliance_member_alliance ON chancery_world.alliance_member USING btree (alliance_id, rank);
CREATE INDEX alliance_member_order ON chancery_world.alliance_member USING btree (alliance_id, nation_id);
grant select on chancery_world.alliance_member to chancery_access;
grant delete, insert, select, update on chancery_world.alliance_member to chancery_ingest;
grant select on chancery_world.alliance_member to chancery_owner;
grant select on chancery_world.alliance_member to chancery_public;

create table chancery_world.alliance_rank_previous_day (
  alliance_id text collate "C" not null,
  rank bigint not null,
  constraint alliance_rank_previous_day_pkey PRIMARY KEY (alliance_id)
);
grant delete, insert, select, update on chancery_world.alliance_rank_previous_day to chancery_ingest;
grant select on chancery_world.alliance_rank_previous_day to chancery_owner;
grant select on chancery_world.alliance_rank_previous_day to chancery_public;

create table chancery_world.alliance_ranking (
  "position" bigint not null,
  alliance_id text collate "C" not null,
  rank bigint not null,
  previous_rank bigint,
  total_score numeric not null,
  constraint alliance_ranking_pkey PRIMARY KEY ("position"),
  constraint alliance_ranking_alliance_id_key UNIQUE (alliance_id)
);
alter table chancery_world.alliance_ranking owner to chancery_ingest;
grant select on chancery_world.alliance_ranking to chancery_owner;
grant select on chancery_world.alliance_ranking to chancery_public;

create table chancery_world.alliance_war_count (
  alliance_id text collate "C" not null,
  other_id text collate "C" not null,
  status text not null,
  wars bigint not null,
  constraint alliance_war_count_pkey PRIMARY KEY (alliance_id, other_id, status)
) with (fillfactor=85);
grant delete, insert, select, update on chancery_world.alliance_war_count to chancery_ingest;
grant select on chancery_world.alliance_war_count to chancery_owner;
grant select on chancery_world.alliance_war_count to chancery_public;

create table chancery_world.battle (
  id text collate "C" not null,
  war_id text collate "C",
  kind text,
  fought_at timestamp with time zone not null,
  attacker_nation_id text collate "C" not null,
  defender_nation_id text collate "C" not null,
  victor text,
  losses jsonb not null,
  infrastructure_destroyed numeric,
  status text not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  attacker_alliance_id text collate "C",
  defender_alliance_id text collate "C",
  attacker_helper_nation_ids text[] collate "C" default '{}'::text[] not null,
  defender_helper_nation_ids text[] collate "C" default '{}'::text[] not null,
  constraint battle_pkey PRIMARY KEY (id)
);
CREATE INDEX battle_attacker ON chancery_world.battle USING btree (attacker_nation_id, fought_at DESC, id);
CREATE INDEX battle_attacker_alliance ON chancery_world.battle USING btree (attacker_alliance_id, fought_at DESC, id) WHERE (attacker_alliance_id IS NOT NULL);
CREATE INDEX battle_attacker_helper ON chancery_world.battle USING gin (attacker_helper_nation_ids) WITH (fastupdate=off);
CREATE INDEX battle_defender ON chancery_world.battle USING btree (defender_nation_id, fought_at DESC, id);
CREATE INDEX battle_defender_alliance ON chancery_world.battle USING btree (defender_alliance_id, fought_at DESC, id) WHERE (defender_alliance_id IS NOT NULL);
CREATE INDEX battle_defender_helper ON chancery_world.battle USING gin (defender_helper_nation_ids) WITH (fastupdate=off);
CREATE INDEX battle_fought ON chancery_world.battle USING btree (fought_at DESC, id);
CREATE INDEX battle_status ON chancery_world.battle USING btree (status, fought_at DESC, id);
CREATE INDEX battle_war ON chancery_world.battle USING btree (war_id, fought_at, id);
grant delete, insert, select, update on chancery_world.battle to chancery_ingest;
grant select on chancery_world.battle to chancery_owner;
grant select on chancery_world.battle to chancery_public;

create table chancery_world.change (
  seq bigint not null,
  resource text collate "C" not null,
  id text collate "C" not null,
  is_deleted boolean not null,
  constraint change_pkey PRIMARY KEY (resource, seq),
  constraint change_resource_id_key UNIQUE (resource, id)
) with (autovacuum_vacuum_scale_factor=0.05);
grant delete, insert, select, update on chancery_world.change to chancery_ingest;
grant select on chancery_world.change to chancery_public;

create table chancery_world.change_block (
  resource text collate "C" not null,
  block bigint not null,
  changes bigint not null,
  constraint change_block_pkey PRIMARY KEY (resource, block)
) with (fillfactor=70);
grant delete, insert, select, update on chancery_world.change_block to chancery_ingest;
grant select on chancery_world.change_block to chancery_public;

create table chancery_world.change_day (
  day date not null,
  seq bigint not null,
  constraint change_day_pkey PRIMARY KEY (day)
);
grant delete, insert, select, update on chancery_world.change_day to chancery_ingest;

create table chancery_world.conflict (
  id text collate "C" not null,
  name text not null,
  status text not null,
  cause text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  sides jsonb not null,
  era_id text collate "C",
  wars_active bigint default 0 not null,
  wars_total bigint default 0 not null,
  battles_count bigint default 0 not null,
  side_totals jsonb default '[]'::jsonb not null,
  constraint conflict_pkey PRIMARY KEY (id)
);
CREATE INDEX conflict_started ON chancery_world.conflict USING btree (started_at DESC, id);
grant delete, insert, select, update on chancery_world.conflict to chancery_ingest;
grant select on chancery_world.conflict to chancery_owner;
grant select on chancery_world.conflict to chancery_public;

create table chancery_world.conflict_counter (
  conflict_id text collate "C" not null,
  alliance_id text collate "C" not null,
  unit text collate "C" not null,
  wars bigint not null,
  number numeric not null,
  constraint conflict_counter_pkey PRIMARY KEY (conflict_id, alliance_id, unit)
) with (fillfactor=70);
grant insert, select, update on chancery_world.conflict_counter to chancery_ingest;

create table chancery_world.conflict_participant (
  conflict_id text collate "C" not null,
  nation_id text collate "C" not null,
  alliance_id text collate "C" not null,
  wars bigint not null,
  constraint conflict_participant_pkey PRIMARY KEY (conflict_id, nation_id, alliance_id)
) with (fillfactor=85);
grant insert, select, update on chancery_world.conflict_participant to chancery_ingest;

create table chancery_world.era (
  id text collate "C" not null,
  number bigint,
  name text not null,
  status text not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  summary text,
  champion jsonb,
  constraint era_pkey PRIMARY KEY (id)
);
grant delete, insert, select, update on chancery_world.era to chancery_ingest;
grant select on chancery_world.era to chancery_owner;
grant select on chancery_world.era to chancery_public;

create table chancery_world.era_reset (
  era_id text collate "C" not null,
  at timestamp with time zone not null,
  logged_at timestamp with time zone not null,
  constraint era_reset_pkey PRIMARY KEY (era_id)
);
grant delete, insert, select, update on chancery_world.era_reset to chancery_ingest;
grant select on chancery_world.era_reset to chancery_outbound;
grant select on chancery_world.era_reset to chancery_owner;
grant select on chancery_world.era_reset to chancery_public;

create table chancery_world.event (
  seq bigint not null,
  type text not null,
  kind_number bigint not null,
  occurred_at timestamp with time zone not null,
  summary text not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null,
  war_id text collate "C",
  conflict_id text collate "C",
  data json not null,
  constraint event_pkey PRIMARY KEY (seq)
);
CREATE INDEX event_kind_seq ON chancery_world.event USING btree (type, seq) INCLUDE (kind_number);
CREATE INDEX event_war ON chancery_world.event USING btree (war_id, seq) WHERE (war_id IS NOT NULL);
CREATE UNIQUE INDEX event_kind_number ON chancery_world.event USING btree (type, kind_number);
grant delete, insert, select, update on chancery_world.event to chancery_ingest;
grant select on chancery_world.event to chancery_outbound;
grant select on chancery_world.event to chancery_owner;
grant select on chancery_world.event to chancery_public;

create table chancery_world.event_alliance (
  alliance_id text collate "C" not null,
  seq bigint not null,
  type text not null,
  constraint event_alliance_pkey PRIMARY KEY (alliance_id, seq)
);
grant delete, insert, select, update on chancery_world.event_alliance to chancery_ingest;
grant select on chancery_world.event_alliance to chancery_owner;
grant select on chancery_world.event_alliance to chancery_public;

create table chancery_world.event_block (
  filter text not null,
  value text collate "C" not null,
  block integer not null,
  bits bit(32768) not null,
  constraint event_block_pkey PRIMARY KEY (filter, value, block)
);
grant delete, insert, select, update on chancery_world.event_block to chancery_ingest;
grant select on chancery_world.event_block to chancery_owner;
grant select on chancery_world.event_block to chancery_public;

create table chancery_world.event_kind (
  type text not null,
  last_number bigint not null,
  constraint event_kind_pkey PRIMARY KEY (type)
);
grant delete, insert, select, update on chancery_world.event_kind to chancery_ingest;
grant select on chancery_world.event_kind to chancery_owner;
grant select on chancery_world.event_kind to chancery_public;

create table chancery_world.event_log_span (
  last_seq bigint not null,
  first_seq bigint not null,
  logged_at timestamp with time zone not null,
  is_announced boolean not null,
  constraint event_log_span_pkey PRIMARY KEY (last_seq)
);
CREATE INDEX event_log_span_logged_at ON chancery_world.event_log_span USING btree (logged_at);
grant delete, insert, select, update on chancery_world.event_log_span to chancery_ingest;
grant select on chancery_world.event_log_span to chancery_outbound;
grant select on chancery_world.event_log_span to chancery_owner;
grant select on chancery_world.event_log_span to chancery_public;

create table chancery_world.event_nation (
  nation_id text collate "C" not null,
  seq bigint not null,
  type text not null,
  constraint event_nation_pkey PRIMARY KEY (nation_id, seq)
);
grant delete, insert, select, update on chancery_world.event_nation to chancery_ingest;
grant select on chancery_world.event_nation to chancery_owner;
grant select on chancery_world.event_nation to chancery_public;

create table chancery_world.log_gap (
  last_before bigint not null,
  first_after bigint not null,
  constraint log_gap_pkey PRIMARY KEY (last_before)
);
grant delete, insert, select, update on chancery_world.log_gap to chancery_ingest;
grant select on chancery_world.log_gap to chancery_outbound;
grant select on chancery_world.log_gap to chancery_owner;
grant select on chancery_world.log_gap to chancery_public;

create table chancery_world.market_price (
  resource text collate "C" not null,
  price numeric not null,
  currency text not null,
  best_bid numeric,
  best_ask numeric,
  high_24h numeric,
  low_24h numeric,
  volume_24h bigint,
  traded_value_24h numeric,
  trades_24h bigint,
  change_24h_percent numeric,
  as_of timestamp with time zone not null,
  reference_price numeric not null,
  reference_at timestamp with time zone not null,
  constraint market_price_pkey PRIMARY KEY (resource)
);
grant delete, insert, select, update on chancery_world.market_price to chancery_ingest;
grant select on chancery_world.market_price to chancery_owner;
grant select on chancery_world.market_price to chancery_public;

create table chancery_world.market_price_history (
  resource text collate "C" not null,
  "interval" text not null,
  starts_at timestamp with time zone not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  volume_24h bigint,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone not null,
  constraint market_price_history_pkey PRIMARY KEY ("interval", resource, starts_at),
  constraint market_price_history_interval_check CHECK (("interval" = ANY (ARRAY['hour'::text, 'day'::text])))
);
CREATE INDEX market_price_history_time ON chancery_world.market_price_history USING btree ("interval", starts_at, resource);
grant delete, insert, select, update on chancery_world.market_price_history to chancery_ingest;
grant select on chancery_world.market_price_history to chancery_owner;
grant select on chancery_world.market_price_history to chancery_public;

create table chancery_world.nation (
  id text collate "C" not null,
  nation_name text not null,
  leader_name text not null,
  national_score numeric not null,
  status text not null,
  government text,
  continent text,
  color text,
  flag_url text,
  motto text,
  founded_at timestamp with time zone,
  city_count bigint,
  land_area numeric,
  attributes jsonb default '{}'::jsonb not null,
  updated_at timestamp with time zone not null,
  search_text text collate "C" not null,
  known_since timestamp with time zone default now() not null,
  active_offensive bigint default 0 not null,
  active_defensive bigint default 0 not null,
  wars_won bigint default 0 not null,
  wars_lost bigint default 0 not null,
  game_status text,
  constraint nation_pkey PRIMARY KEY (id)
) with (fillfactor=85);
CREATE INDEX nation_search ON chancery_world.nation USING gin (search_text public.gin_trgm_ops);
grant select on chancery_world.nation to chancery_access;
grant delete, insert, select, update on chancery_world.nation to chancery_ingest;
grant select on chancery_world.nation to chancery_owner;
grant select on chancery_world.nation to chancery_public;

create table chancery_world.nation_attribute_ranking (
  attribute text collate "C" not null,
  "position" bigint not null,
  nation_id text collate "C" not null,
  rank bigint not null,
  previous_rank bigint,
  value numeric not null,
  constraint nation_attribute_ranking_pkey PRIMARY KEY (attribute, "position"),
  constraint nation_attribute_ranking_nation_id_attribute_key UNIQUE (nation_id, attribute)
);
alter table chancery_world.nation_attribute_ranking owner to chancery_ingest;
grant select on chancery_world.nation_attribute_ranking to chancery_owner;
grant select on chancery_world.nation_attribute_ranking to chancery_public;

create table chancery_world.nation_attribute_ranking_gap (
  attribute text collate "C" not null,
  "position" bigint not null,
  constraint nation_attribute_ranking_gap_pkey PRIMARY KEY (attribute, "position")
);
grant delete, insert, select, update on chancery_world.nation_attribute_ranking_gap to chancery_ingest;
grant select on chancery_world.nation_attribute_ranking_gap to chancery_owner;
grant select on chancery_world.nation_attribute_ranking_gap to chancery_public;

create table chancery_world.nation_history (
  block integer not null,
  day date not null,
  low bytea not null,
  high bytea not null,
  constraint nation_history_pkey PRIMARY KEY (block, day)
) with (toast_tuple_target=128);
CREATE INDEX nation_history_day ON chancery_world.nation_history USING btree (day);
grant delete, insert, select, update on chancery_world.nation_history to chancery_ingest;
grant select on chancery_world.nation_history to chancery_owner;
grant select on chancery_world.nation_history to chancery_public;

create table chancery_world.nation_history_number (
  number integer not null,
  nation_id text collate "C",
  freed_on date,
  constraint nation_history_number_pkey PRIMARY KEY (number)
);
CREATE UNIQUE INDEX nation_history_number_current ON chancery_world.nation_history_number USING btree (nation_id) WHERE (freed_on IS NULL);
grant delete, insert, select, update on chancery_world.nation_history_number to chancery_ingest;
grant select on chancery_world.nation_history_number to chancery_owner;
grant select on chancery_world.nation_history_number to chancery_public;

create table chancery_world.nation_rank_previous_day (
  nation_id text collate "C" not null,
  rank bigint not null,
  constraint nation_rank_previous_day_pkey PRIMARY KEY (nation_id)
);
grant delete, insert, select, update on chancery_world.nation_rank_previous_day to chancery_ingest;
grant select on chancery_world.nation_rank_previous_day to chancery_owner;
grant select on chancery_world.nation_rank_previous_day to chancery_public;

create table chancery_world.nation_ranking (
  "position" bigint not null,
  search_text text collate "C",
  status text,
  current_score numeric,
  alliance_id text collate "C",
  nation_id text collate "C" not null,
  rank bigint,
  previous_rank bigint,
  national_score numeric not null,
  founded_at timestamp with time zone,
  city_count bigint,
  ranked_values jsonb default '{}'::jsonb not null,
  constraint nation_ranking_pkey PRIMARY KEY ("position"),
  constraint nation_ranking_nation_id_key UNIQUE (nation_id)
) with (fillfactor=85);
alter table chancery_world.nation_ranking owner to chancery_ingest;
CREATE INDEX nation_ranking_alliance ON chancery_world.nation_ranking USING btree (alliance_id, "position") INCLUDE (status);
CREATE INDEX nation_ranking_cities ON chancery_world.nation_ranking USING btree (city_count DESC NULLS LAST, nation_id);
CREATE INDEX nation_ranking_founded ON chancery_world.nation_ranking USING btree (founded_at DESC NULLS LAST, nation_id);
CREATE INDEX nation_ranking_name ON chancery_world.nation_ranking USING btree (split_part(search_text, '
'::text, 1), nation_id) INCLUDE (search_text);
CREATE INDEX nation_ranking_status ON chancery_world.nation_ranking USING btree (status, "position") WHERE (status <> 'active'::text);
CREATE STATISTICS chancery_world.nation_ranking_block ON ("position" / 512) FROM chancery_world.nation_ranking;
grant select on chancery_world.nation_ranking to chancery_owner;
grant select on chancery_world.nation_ranking to chancery_public;

create table chancery_world.nation_ranking_dirty (
  "position" bigint not null,
  is_deleted boolean default false not null,
  constraint nation_ranking_dirty_pkey PRIMARY KEY ("position")
);
CREATE INDEX nation_ranking_dirty_deleted ON chancery_world.nation_ranking_dirty USING btree ("position") WHERE is_deleted;
grant delete, insert, select, update on chancery_world.nation_ranking_dirty to chancery_ingest;
grant select on chancery_world.nation_ranking_dirty to chancery_owner;
grant select on chancery_world.nation_ranking_dirty to chancery_public;

create table chancery_world.news_item (
  id text collate "C" not null,
  title text not null,
  body text not null,
  category text,
  author text,
  published_at timestamp with time zone not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null,
  constraint news_item_pkey PRIMARY KEY (id)
);
CREATE INDEX news_item_category ON chancery_world.news_item USING btree (category, published_at DESC, id);
CREATE INDEX news_item_published ON chancery_world.news_item USING btree (published_at DESC, id);
grant delete, insert, select, update on chancery_world.news_item to chancery_ingest;
grant select on chancery_world.news_item to chancery_owner;
grant select on chancery_world.news_item to chancery_public;

create table chancery_world.pulse (
  is_only boolean default true not null,
  seq bigint default 0 not null,
  first_seq bigint default 1 not null,
  world_version bigint default 0 not null,
  world_changed_at timestamp with time zone,
  redaction_version bigint default 0 not null,
  unranked_since timestamp with time zone,
  change_seq bigint default 1 not null,
  change_floor bigint default 1 not null,
  snapshot_version bigint default 0 not null,
  snapshots_paused_until timestamp with time zone,
  server_started_at timestamp with time zone,
  timeline text,
  events_expired_at timestamp with time zone,
  event_blocks_end bigint default 0 not null,
  constraint pulse_pkey PRIMARY KEY (is_only),
  constraint pulse_is_only_check CHECK (is_only)
);
grant select on chancery_world.pulse to chancery_access;
grant delete, insert, select, update on chancery_world.pulse to chancery_ingest;
grant select on chancery_world.pulse to chancery_outbound;
grant select on chancery_world.pulse to chancery_owner;
grant select on chancery_world.pulse to chancery_public;

create table chancery_world.ranking_round (
  is_only boolean default true not null,
  world_version bigint default 0 not null,
  day date,
  nations bigint default 0 not null,
  alliances bigint default 0 not null,
  paused_until timestamp with time zone,
  constraint ranking_round_pkey PRIMARY KEY (is_only),
  constraint ranking_round_is_only_check CHECK (is_only)
);
grant delete, insert, select, update on chancery_world.ranking_round to chancery_ingest;
grant select on chancery_world.ranking_round to chancery_owner;
grant select on chancery_world.ranking_round to chancery_public;

create table chancery_world.snapshot (
  id text collate "C" not null,
  created_at timestamp with time zone not null,
  reason text not null,
  change_seq bigint not null,
  event_seq bigint not null,
  files jsonb not null,
  constraint snapshot_pkey PRIMARY KEY (id)
);
grant delete, insert, select on chancery_world.snapshot to chancery_ingest;
grant select on chancery_world.snapshot to chancery_public;

create table chancery_world.snapshot_chunk (
  snapshot_id text collate "C" not null,
  resource text collate "C" not null,
  number bigint not null,
  data bytea not null,
  constraint snapshot_chunk_pkey PRIMARY KEY (snapshot_id, resource, number)
);
grant delete, insert, select on chancery_world.snapshot_chunk to chancery_ingest;
grant select on chancery_world.snapshot_chunk to chancery_public;

create table chancery_world.tombstone (
  resource text not null,
  id text collate "C" not null,
  name text,
  deleted_at timestamp with time zone not null,
  retired_with text collate "C",
  constraint tombstone_pkey PRIMARY KEY (resource, id)
);
grant delete, insert, select, update on chancery_world.tombstone to chancery_ingest;
grant select on chancery_world.tombstone to chancery_owner;
grant select on chancery_world.tombstone to chancery_public;

create table chancery_world.treaty (
  id text collate "C" not null,
  type text not null,
  signed_at timestamp with time zone,
  expires_at timestamp with time zone,
  status text not null,
  alliance_ids text[] collate "C" not null,
  nation_ids text[] collate "C" not null,
  types text[] collate "C" not null,
  ended_at timestamp with time zone,
  is_past boolean not null,
  constraint treaty_pkey PRIMARY KEY (id)
);
CREATE INDEX treaty_active_alliances ON chancery_world.treaty USING gin (alliance_ids) WITH (fastupdate=off) WHERE (status = 'active'::text);
CREATE INDEX treaty_alliances ON chancery_world.treaty USING gin (alliance_ids) WITH (fastupdate=off);
CREATE INDEX treaty_nations ON chancery_world.treaty USING gin (nation_ids) WITH (fastupdate=off);
CREATE INDEX treaty_signed ON chancery_world.treaty USING btree (signed_at DESC NULLS LAST, id);
CREATE INDEX treaty_status ON chancery_world.treaty USING btree (status, signed_at DESC NULLS LAST, id);
CREATE INDEX treaty_status_alone ON chancery_world.treaty USING btree (status);
CREATE INDEX treaty_types ON chancery_world.treaty USING gin (types) WITH (fastupdate=off);
grant delete, insert, select, update on chancery_world.treaty to chancery_ingest;
grant select on chancery_world.treaty to chancery_owner;
grant select on chancery_world.treaty to chancery_public;

create table chancery_world.war (
  id text collate "C" not null,
  type text,
  status text not null,
  reason text,
  attacker_nation_id text collate "C" not null,
  attacker_nation_name text not null,
  attacker_alliance_id text collate "C",
  attacker_alliance_name text,
  defender_nation_id text collate "C" not null,
  defender_nation_name text not null,
  defender_alliance_id text collate "C",
  defender_alliance_name text,
  declared_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  outcome text,
  conflict_id text collate "C",
  era_id text collate "C",
  updated_at timestamp with time zone not null,
  battles_count bigint default 0 not null,
  attacker_losses jsonb default '{}'::jsonb not null,
  defender_losses jsonb default '{}'::jsonb not null,
  attacker_battles_won bigint default 0 not null,
  defender_battles_won bigint default 0 not null,
  game_outcome text,
  attacker_type text not null,
  defender_type text not null,
  is_mutual boolean not null,
  follows_war_id text collate "C",
  participants jsonb not null,
  constraint war_pkey PRIMARY KEY (id)
) with (fillfactor=70);
CREATE INDEX war_attacker ON chancery_world.war USING btree (attacker_nation_id, declared_at DESC, id);
CREATE INDEX war_attacker_alliance ON chancery_world.war USING btree (attacker_alliance_id, declared_at DESC, id) WHERE (attacker_alliance_id IS NOT NULL);
CREATE INDEX war_conflict ON chancery_world.war USING btree (conflict_id, declared_at DESC, id) WHERE (conflict_id IS NOT NULL);
CREATE INDEX war_declared ON chancery_world.war USING btree (declared_at DESC, id) INCLUDE (attacker_alliance_id, defender_alliance_id);
CREATE INDEX war_defender ON chancery_world.war USING btree (defender_nation_id, declared_at DESC, id);
CREATE INDEX war_defender_alliance ON chancery_world.war USING btree (defender_alliance_id, declared_at DESC, id) WHERE (defender_alliance_id IS NOT NULL);
CREATE INDEX war_follows ON chancery_world.war USING btree (follows_war_id, declared_at DESC, id) WHERE (follows_war_id IS NOT NULL);
CREATE INDEX war_status ON chancery_world.war USING btree (status, declared_at DESC, id) INCLUDE (attacker_alliance_id, defender_alliance_id);
grant delete, insert, select, update on chancery_world.war to chancery_ingest;
grant select on chancery_world.war to chancery_owner;
grant select on chancery_world.war to chancery_public;

create table chancery_world.war_participant (
  war_id text collate "C" not null,
  number bigint not null,
  side text not null,
  nation_id text collate "C" not null,
  alliance_id text collate "C",
  joined_at timestamp with time zone,
  left_at timestamp with time zone,
  constraint war_participant_pkey PRIMARY KEY (war_id, number)
);
CREATE INDEX war_participant_alliance ON chancery_world.war_participant USING btree (alliance_id) WHERE (alliance_id IS NOT NULL);
CREATE INDEX war_participant_nation ON chancery_world.war_participant USING btree (nation_id, war_id);
grant delete, insert, select on chancery_world.war_participant to chancery_ingest;
grant select on chancery_world.war_participant to chancery_owner;
grant select on chancery_world.war_participant to chancery_public;

CREATE OR REPLACE FUNCTION chancery_world.count_changes(of_resource text, seqs bigint[], step bigint)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  insert into chancery_world.change_block as b (resource, block, changes)
  select of_resource, seq / 4096, step * count(*) from unnest(seqs) as s (seq) group by 2
  on conflict (resource, block) do update set changes = b.changes + excluded.changes;
$function$;
grant execute on function chancery_world.count_changes(of_resource text, seqs bigint[], step bigint) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_world.leader_ranks()
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(array_agg(r.value ->> 'key'), '{}')
  from chancery_meta.game_profile, jsonb_array_elements(profile -> 'ranks') r where r.value ->> 'tier' = 'leader';
$function$;
grant execute on function chancery_world.leader_ranks() to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_world.log_changes(of_resource text, ids text[], are_deleted boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  distinct_ids text[] := array(select distinct id from unnest(ids) as i (id) order by id);
  seqs bigint[];
  newest bigint;
begin
  if cardinality(distinct_ids) = 0 then
    return;
  end if;
  with former as (
    delete from chancery_world.change c using unnest(distinct_ids) as i (id) where c.resource = of_resource and c.id = i.id returning c.seq
  )
  select array_agg(seq) into seqs from former;
  if seqs is not null then
    perform chancery_world.count_changes(of_resource, seqs, -1);
  end if;
  update chancery_world.pulse set change_seq = change_seq + cardinality(distinct_ids) returning change_seq into newest;
  insert into chancery_world.change (seq, resource, id, is_deleted)
  select newest - cardinality(distinct_ids) + place, of_resource, id, are_deleted
  from unnest(distinct_ids) with ordinality as i (id, place);
  perform chancery_world.count_changes(
    of_resource, array(select generate_series(newest - cardinality(distinct_ids) + 1, newest)), 1);
end $function$;
grant execute on function chancery_world.log_changes(of_resource text, ids text[], are_deleted boolean) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_world.log_conflicts_of(alliances text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if cardinality(alliances) is null or cardinality(alliances) = 0 then
    return;
  end if;
  perform chancery_world.log_copies('conflict', array(
    select c.id from chancery_world.conflict c
    where exists (
      select from jsonb_array_elements(c.sides) side, jsonb_array_elements(side.value -> 'alliances') party
      where party.value ->> 'alliance_id' = any (alliances)
    )));
end $function$;
grant execute on function chancery_world.log_conflicts_of(alliances text[]) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_world.log_copies(of_resource text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  existing text[];
begin
  if cardinality(ids) is null or cardinality(ids) = 0 then
    return;
  end if;
  execute format('select array_agg(distinct id) from chancery_world.%I where id = any ($1)', of_resource) into existing using ids;
  perform chancery_world.log_changes(of_resource, existing, false);
end $function$;
grant execute on function chancery_world.log_copies(of_resource text, ids text[]) to chancery_ingest;

CREATE OR REPLACE FUNCTION chancery_world.log_copies_of_alliances()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  ids text[];
begin
  select array_agg(a.id) into ids from after_rows a join before_rows b using (id) where (a.name, a.tag) is distinct from (b.name, b.tag);
  if ids is null then
    return null;
  end if;
  perform chancery_world.log_copies('nation', array(
    select nation_id from chancery_world.alliance_member where alliance_id = any (ids)));
  select array_agg(a.id) into ids from after_rows a join before_rows b using (id) where a.name <> b.name;
  perform chancery_world.log_copies('alliance', array(
    select other from chancery_world.treaty t, unnest(t.alliance_ids) as other
    where t.status = 'active' and t.alliance_ids && ids and other <> all (ids)));
  perform chancery_world.log_conflicts_of(ids);
  return null;
end $function$;
grant execute on function chancery_world.log_copies_of_alliances() to public;

CREATE OR REPLACE FUNCTION chancery_world.log_copies_of_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  nations text[];
  alliances text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(nation_id), array_agg(alliance_id) filter (where rank = any ((select chancery_world.leader_ranks())::text[]))
    into nations, alliances from after_rows;
  elsif tg_op = 'DELETE' then
    select array_agg(nation_id), array_agg(alliance_id) filter (where rank = any ((select chancery_world.leader_ranks())::text[]))
    into nations, alliances from before_rows;
  else
    select array_agg(a.nation_id) into nations
    from after_rows a join before_rows b using (nation_id) where (a.alliance_id, a.rank) is distinct from (b.alliance_id, b.rank);
    select array_agg(c.alliance_id) into alliances
    from after_rows a join before_rows b using (nation_id),
      lateral (values (a.alliance_id, a.rank), (b.alliance_id, b.rank)) as c (alliance_id, rank)
    where (a.alliance_id, a.rank, a.joined_at) is distinct from (b.alliance_id, b.rank, b.joined_at)
      and c.rank = any ((select chancery_world.leader_ranks())::text[]);
  end if;
  perform chancery_world.log_copies('nation', nations);
  perform chancery_world.log_copies('alliance', alliances);
  return null;
end $function$;
grant execute on function chancery_world.log_copies_of_members() to public;

CREATE OR REPLACE FUNCTION chancery_world.log_copies_of_nations()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  ids text[];
begin
  select array_agg(m.nation_id) into ids
  from after_rows a join before_rows b using (id) join chancery_world.alliance_member m on m.nation_id = a.id
  where (a.nation_name, a.leader_name, a.national_score, a.status) is distinct from (b.nation_name, b.leader_name, b.national_score, b.status);
  perform chancery_world.log_changes('alliance_member', ids, false);
  select array_agg(distinct m.alliance_id) into ids
  from after_rows a join before_rows b using (id) join chancery_world.alliance_member m on m.nation_id = a.id
  where a.nation_name <> b.nation_name and m.rank = any ((select chancery_world.leader_ranks())::text[]);
  perform chancery_world.log_copies('alliance', ids);
  return null;
end $function$;
grant execute on function chancery_world.log_copies_of_nations() to public;

CREATE OR REPLACE FUNCTION chancery_world.log_copies_of_tombstones()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform chancery_world.log_conflicts_of(array(
    select a.id from after_rows a join before_rows b using (resource, id) where resource = 'alliance' and a.name is distinct from b.name));
  return null;
end $function$;
grant execute on function chancery_world.log_copies_of_tombstones() to public;

CREATE OR REPLACE FUNCTION chancery_world.log_copies_of_treaties()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  ids text[];
begin
  if tg_op = 'INSERT' then
    select array_agg(party) into ids from after_rows t, unnest(t.alliance_ids) as party where t.status = 'active';
  elsif tg_op = 'DELETE' then
    select array_agg(party) into ids from before_rows t, unnest(t.alliance_ids) as party where t.status = 'active';
  else
    select array_agg(party) into ids
    from after_rows a join before_rows b using (id),
      lateral (
        select unnest(a.alliance_ids) where a.status = 'active' union all select unnest(b.alliance_ids) where b.status = 'active'
      ) as parties (party)
    where (a.status, a.alliance_ids, a.type, a.types, a.signed_at, a.expires_at)
      is distinct from (b.status, b.alliance_ids, b.type, b.types, b.signed_at, b.expires_at);
  end if;
  perform chancery_world.log_copies('alliance', ids);
  return null;
end $function$;
grant execute on function chancery_world.log_copies_of_treaties() to public;

CREATE OR REPLACE FUNCTION chancery_world.log_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  key text := tg_argv[1];
  columns text;
  ids text[];
begin
  if tg_op = 'INSERT' then
    execute format('select array_agg(%I) from after_rows', key) into ids;
  elsif tg_op = 'DELETE' then
    execute format('select array_agg(%I) from before_rows', key) into ids;
  else
    select string_agg(format('%%1$s.%I', attname), ', ') into columns
    from pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> all (tg_argv[2:]);
    execute format(
      'select array_agg(a.%1$I) from after_rows a join before_rows b using (%1$I) where (%2$s) is distinct from (%3$s)',
      key, format(columns, 'a'), format(columns, 'b')
    ) into ids;
  end if;
  perform chancery_world.log_changes(tg_argv[0], ids, tg_op = 'DELETE');
  return null;
end $function$;
grant execute on function chancery_world.log_rows() to public;

CREATE OR REPLACE FUNCTION chancery_world.server_timeline()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  return left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  -- Some services that are compatible with PostgreSQL have no such log.
  return null;
end
$function$;
grant execute on function chancery_world.server_timeline() to chancery_ingest;

CREATE TRIGGER log_copies_update AFTER UPDATE ON chancery_world.alliance REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_alliances();
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.alliance REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance', 'id', 'search_text');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.alliance REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance', 'id', 'search_text');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.alliance REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance', 'id', 'search_text');
CREATE TRIGGER log_copies_delete AFTER DELETE ON chancery_world.alliance_member REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_members();
CREATE TRIGGER log_copies_insert AFTER INSERT ON chancery_world.alliance_member REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_members();
CREATE TRIGGER log_copies_update AFTER UPDATE ON chancery_world.alliance_member REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_members();
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.alliance_member REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance_member', 'nation_id');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.alliance_member REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance_member', 'nation_id');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.alliance_member REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('alliance_member', 'nation_id');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.battle REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('battle', 'id');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.battle REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('battle', 'id');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.battle REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('battle', 'id');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.conflict REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('conflict', 'id');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.conflict REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('conflict', 'id');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.conflict REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('conflict', 'id');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.era REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('era', 'id');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.era REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('era', 'id');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.era REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('era', 'id');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.market_price REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('market_price', 'resource', 'reference_price', 'reference_at');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.market_price REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('market_price', 'resource', 'reference_price', 'reference_at');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.market_price REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('market_price', 'resource', 'reference_price', 'reference_at');
CREATE TRIGGER log_copies_update AFTER UPDATE ON chancery_world.nation REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_nations();
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.nation REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('nation', 'id', 'search_text', 'known_since');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.nation REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('nation', 'id', 'search_text', 'known_since');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.nation REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('nation', 'id', 'search_text', 'known_since');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.news_item REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('news_item', 'id');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.news_item REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('news_item', 'id');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.news_item REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('news_item', 'id');
CREATE TRIGGER log_copies_update AFTER UPDATE ON chancery_world.tombstone REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_tombstones();
CREATE TRIGGER log_copies_delete AFTER DELETE ON chancery_world.treaty REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_treaties();
CREATE TRIGGER log_copies_insert AFTER INSERT ON chancery_world.treaty REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_treaties();
CREATE TRIGGER log_copies_update AFTER UPDATE ON chancery_world.treaty REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_copies_of_treaties();
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.treaty REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('treaty', 'id', 'is_past');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.treaty REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('treaty', 'id', 'is_past');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.treaty REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('treaty', 'id', 'is_past');
CREATE TRIGGER log_delete AFTER DELETE ON chancery_world.war REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('war', 'id', 'attacker_battles_won', 'defender_battles_won');
CREATE TRIGGER log_insert AFTER INSERT ON chancery_world.war REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('war', 'id', 'attacker_battles_won', 'defender_battles_won');
CREATE TRIGGER log_update AFTER UPDATE ON chancery_world.war REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION chancery_world.log_rows('war', 'id', 'attacker_battles_won', 'defender_battles_won');
