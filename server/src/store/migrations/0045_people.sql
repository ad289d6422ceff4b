-- Lists of players count their endpoints.
grant usage on schema chancery_outbound to chancery_access;
grant select (player_id) on chancery_outbound.endpoint to chancery_access;

create index limit_request_pending on chancery_access.limit_request (requested_at, key_id) where resolved_at is null;
-- The audit log without the many lines of batches.
create index audit_log_changes on chancery_access.audit_log (id) where action <> 'POST /facts';

-- Everything that is held about a player, by table: rows of the player, of their keys, endpoints and deliveries, and of the nations that
-- they lead. Tables are found by the names of their columns, so that a new one is included. Without hashes and secrets.
create function chancery_secret.export_player(player text, rows_max bigint) returns jsonb
language plpgsql stable security definer set search_path to 'pg_catalog', 'pg_temp' as $$
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
end $$;
revoke execute on function chancery_secret.export_player(text, bigint) from public;
grant execute on function chancery_secret.export_player(text, bigint) to chancery_ingest;
