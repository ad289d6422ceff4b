-- Tables, columns and functions get the standard terms of the field. Nothing is rewritten: a rename locks its table for a moment.
-- Grants, rows and indexes stay. Processes of an earlier version cannot read the renamed tables: stop them first.

do $$
declare
  renamed record;
  part record;
begin
  for renamed in
    select t.*, format('%I.%I', schema, new_name) as full_name from (values
      ('chancery_world', 'nation_place', 'nation_ranking'),
      ('chancery_world', 'nation_moved', 'nation_ranking_dirty'),
      ('chancery_world', 'nation_yesterday', 'nation_rank_previous_day'),
      ('chancery_world', 'alliance_place', 'alliance_ranking'),
      ('chancery_world', 'alliance_yesterday', 'alliance_rank_previous_day'),
      ('chancery_world', 'conflict_fighter', 'conflict_participant'),
      ('chancery_world', 'conflict_tally', 'conflict_counter'),
      ('chancery_world', 'war_count', 'alliance_war_count'),
      ('chancery_world', 'logging', 'event_log_span'),
      ('chancery_secret', 'nation_changed', 'nation_ranking_log'),
      ('chancery_secret', 'counted_war', 'war_counter_snapshot'),
      ('chancery_secret', 'refused_batch', 'dead_letter'),
      ('chancery_secret', 'refused_thing', 'dead_letter_entity'),
      ('chancery_secret', 'refused_dropped', 'dropped_dead_letter'),
      ('chancery_access', 'operator_log', 'audit_log'),
      ('chancery_access', 'key_call', 'key_request'),
      ('chancery_access', 'address_call', 'address_request'),
      ('chancery_access', 'key_minute', 'key_usage_minute'),
      ('chancery_access', 'key_hour', 'key_usage_hour'),
      ('chancery_access', 'address_hour', 'address_usage_hour')
    ) as t (schema, old_name, new_name)
  loop
    execute format('alter table %I.%I rename to %I', renamed.schema, renamed.old_name, renamed.new_name);
    -- Ranking rounds name indexes of their tables themselves, so all names are read from the catalogs. An index of a constraint is
    -- renamed with it.
    for part in
      select format('alter table %s rename constraint %I to', renamed.full_name, conname) as command, conname as name
      from pg_constraint where conrelid = renamed.full_name::regclass
      union all
      select format('alter index %s rename to', i.indexrelid::regclass), c.relname
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = renamed.full_name::regclass and not exists (select from pg_constraint where conindid = i.indexrelid)
      union all
      select format('alter sequence %s rename to', c.oid::regclass), c.relname
      from pg_depend d join pg_class c on c.oid = d.objid
      where d.refobjid = renamed.full_name::regclass and d.classid = 'pg_class'::regclass and d.deptype = 'i' and c.relkind = 'S'
      union all
      select format('alter statistics %I.%I rename to', renamed.schema, stxname), stxname
      from pg_statistic_ext where stxrelid = renamed.full_name::regclass
    loop
      continue when not starts_with(part.name, renamed.old_name);
      execute format('%s %I', part.command, renamed.new_name || substr(part.name, length(renamed.old_name) + 1));
    end loop;
  end loop;
end
$$;

alter table chancery_world.nation_ranking rename column score_now to current_score;
alter table chancery_world.nation_ranking_dirty rename column is_gone to is_deleted;
alter index chancery_world.nation_ranking_dirty_gone rename to nation_ranking_dirty_deleted;
alter table chancery_world.ranking_round rename column rests_until to paused_until;
alter table chancery_world.conflict rename column side_numbers to side_totals;

alter table chancery_secret.dead_letter rename column first_refused_at to first_rejected_at;
alter table chancery_secret.dead_letter rename column last_refused_at to last_rejected_at;
alter table chancery_secret.dead_letter rename column tries to attempts;
alter table chancery_secret.dead_letter rename column refusals to rejections;
alter table chancery_secret.dead_letter rename column overtaken_by to superseded_by;
alter index chancery_secret.dead_letter_refused rename to dead_letter_rejected;

alter table chancery_access.address_usage_hour rename column refused to rejected;
alter table chancery_access.limit_request rename column sentence to reason;
alter table chancery_access.limit_request rename column asked_at to requested_at;
alter table chancery_access.limit_request rename column answered_at to resolved_at;

alter table chancery_outbound.endpoint rename column heard_seq to subscribed_from_seq;
alter table chancery_outbound.endpoint rename column secret_made_at to secret_created_at;
alter table chancery_outbound.delivery rename column settled_at to finished_at;
alter table chancery_outbound.delivery rename column drops_answers to drops_responses;
alter index chancery_outbound.delivery_under_way rename to delivery_in_flight;
alter table chancery_outbound.attempt rename column answer to response;

-- The bodies of functions name tables as text. Their grants stay.
alter function chancery_secret.drop_answers(bigint[]) rename to drop_responses;
create or replace function chancery_secret.drop_responses(seqs bigint[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update chancery_outbound.delivery set drops_responses = true where seq = any (seqs) and state = 'sending';
  update chancery_outbound.attempt a set response = null
  from chancery_outbound.delivery d where d.id = a.delivery_id and d.seq = any (seqs) and a.response is not null;
$$;

alter function chancery_secret.forget_player(text, text[]) rename to erase_player;
create or replace function chancery_secret.erase_player(player text, nations text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
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
$$;
