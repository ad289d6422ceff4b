-- The last change of every listed item, for GET /changes. Triggers write it in the transaction of each batch: whoever changes a public
-- column, the change is logged. Changes of ranks are not: rankings are in other tables.
create table chancery_world.change (
  seq bigint not null,
  resource text collate "C" not null,
  id text collate "C" not null,
  is_deleted boolean not null,
  primary key (resource, seq),
  unique (resource, id)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- How many changes each block of numbers has: counts a part of the log without reading it.
create table chancery_world.change_block (
  resource text collate "C" not null,
  block bigint not null,
  changes bigint not null,
  primary key (resource, block)
) with (fillfactor = 70);
-- The newest number at the beginning of each day: what is older than the retention time is deleted.
create table chancery_world.change_day (
  day date not null primary key,
  seq bigint not null
);
grant select, insert, update, delete on chancery_world.change, chancery_world.change_block, chancery_world.change_day to chancery_ingest;
grant select on chancery_world.change, chancery_world.change_block to chancery_public;

-- The newest number, and the lowest that a client may continue after: what is in the world before this migration was never logged.
alter table chancery_world.pulse add change_seq bigint not null default 1, add change_floor bigint not null default 1;

create function chancery_world.count_changes(of_resource text, seqs bigint[], step bigint) returns void
language sql set search_path to pg_catalog, pg_temp as $$
  insert into chancery_world.change_block as b (resource, block, changes)
  select of_resource, seq / 4096, step * count(*) from unnest(seqs) as s (seq) group by 2
  on conflict (resource, block) do update set changes = b.changes + excluded.changes;
$$;

-- Gives each item a new number. Items that changed before lose the old one.
create function chancery_world.log_changes(of_resource text, ids text[], are_deleted boolean) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

-- Items of which `ids` still exist: what an item copies from another may change in the batch that deletes it.
create function chancery_world.log_copies(of_resource text, ids text[]) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
declare
  existing text[];
begin
  if cardinality(ids) is null or cardinality(ids) = 0 then
    return;
  end if;
  execute format('select array_agg(distinct id) from chancery_world.%I where id = any ($1)', of_resource) into existing using ids;
  perform chancery_world.log_changes(of_resource, existing, false);
end $$;

-- For a table whose rows are the items of a resource: the resource, its key, and columns that no item contains.
create function chancery_world.log_rows() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

-- Members show their nation's names, score and status; alliances the name of their leader.
create function chancery_world.log_copies_of_nations() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

create function chancery_world.leader_ranks() returns text[]
language sql stable security definer set search_path to pg_catalog, pg_temp as $$
  select coalesce(array_agg(r.value ->> 'key'), '{}')
  from chancery_meta.game_profile, jsonb_array_elements(profile -> 'ranks') r where r.value ->> 'tier' = 'leader';
$$;

-- Nations show their membership, alliances their leader.
create function chancery_world.log_copies_of_members() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

-- Conflicts show the names of their alliances, also of disbanded ones.
create function chancery_world.log_conflicts_of(alliances text[]) returns void
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

-- Nations show the name and tag of their alliance, allied alliances and conflicts its name.
create function chancery_world.log_copies_of_alliances() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

-- Alliances show their treaties in force.
create function chancery_world.log_copies_of_treaties() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
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
end $$;

create function chancery_world.log_copies_of_tombstones() returns trigger
language plpgsql set search_path to pg_catalog, pg_temp as $$
begin
  perform chancery_world.log_conflicts_of(array(
    select a.id from after_rows a join before_rows b using (resource, id) where resource = 'alliance' and a.name is distinct from b.name));
  return null;
end $$;

revoke execute on function
  chancery_world.count_changes, chancery_world.log_changes, chancery_world.log_copies, chancery_world.leader_ranks,
  chancery_world.log_conflicts_of from public;
grant execute on function
  chancery_world.count_changes, chancery_world.log_changes, chancery_world.log_copies, chancery_world.leader_ranks,
  chancery_world.log_conflicts_of to chancery_ingest;

do $$
declare
  tab record;
  event record;
begin
  for tab in
    select * from (values
      ('nation', 'id', 'search_text', 'known_since'),
      ('alliance', 'id', 'search_text', null),
      ('alliance_member', 'nation_id', null, null),
      ('treaty', 'id', 'is_past', null),
      ('era', 'id', null, null),
      ('conflict', 'id', null, null),
      ('war', 'id', 'attacker_battles_won', 'defender_battles_won'),
      ('battle', 'id', null, null),
      ('market_price', 'resource', 'reference_price', 'reference_at'),
      ('news_item', 'id', null, null)
    ) as t (resource, key, internal, also_internal)
  loop
    for event in
      select * from (values
        ('insert', 'new table as after_rows'), ('update', 'old table as before_rows new table as after_rows'),
        ('delete', 'old table as before_rows')
      ) as e (name, tables)
    loop
      execute format(
        'create trigger log_%s after %1$s on chancery_world.%I referencing %s for each statement execute function chancery_world.log_rows(%s)',
        event.name, tab.resource, event.tables,
        concat_ws(', ', quote_literal(tab.resource), quote_literal(tab.key), quote_literal(tab.internal), quote_literal(tab.also_internal)));
    end loop;
  end loop;
  for tab in
    select * from (values
      ('nation', 'log_copies_of_nations', false), ('alliance', 'log_copies_of_alliances', false),
      ('tombstone', 'log_copies_of_tombstones', false),
      ('alliance_member', 'log_copies_of_members', true), ('treaty', 'log_copies_of_treaties', true)
    ) as t (name, function, is_of_all)
  loop
    execute format(
      'create trigger log_copies_update after update on chancery_world.%I referencing old table as before_rows new table as after_rows
       for each statement execute function chancery_world.%I()', tab.name, tab.function);
    continue when not tab.is_of_all;
    execute format(
      'create trigger log_copies_insert after insert on chancery_world.%I referencing new table as after_rows
       for each statement execute function chancery_world.%I()', tab.name, tab.function);
    execute format(
      'create trigger log_copies_delete after delete on chancery_world.%I referencing old table as before_rows
       for each statement execute function chancery_world.%I()', tab.name, tab.function);
  end loop;
end $$;
