-- The transactional outbox of a game: run this once in the game's own database (PostgreSQL 13 or newer).
--
-- The game writes facts into chancery_out.outbox in its own transactions: a rollback removes them too.
-- `chancery outbox drain` sends each transaction as one batch, and removes it here once Chancery has stored it.
--
-- Never run `drop schema chancery_out cascade`: it also drops facts that are not sent yet, the views, and the functions that triggers call.

create schema if not exists chancery_out;

-- Identifies this outbox: the ids of its batches contain it. In a copy of the database that is used independently, change it:
--   update chancery_out.outbox_identity set id = gen_random_uuid();
create table chancery_out.outbox_identity (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid()
);
insert into chancery_out.outbox_identity default values;

create table chancery_out.outbox (
  -- The order in which the rows of one item were written. It is not the commit order of transactions.
  id bigint generated always as identity (cache 1) primary key,
  -- The writing transaction: its rows are one batch. Leave it to its default.
  txid bigint not null default pg_current_xact_id()::text::bigint,
  fact jsonb not null check (jsonb_typeof(fact) = 'object' and fact ? 'op' and fact ->> 'op' <> 'commit'),
  written_at timestamptz not null default clock_timestamp()
);

-- Rows are inserted and deleted, never updated.
create function chancery_out.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a row of chancery_out.outbox cannot be changed: write another fact';
end $$;
create trigger refuse_change before update on chancery_out.outbox
  for each statement execute function chancery_out.refuse_change();

-- Wakes the drainer at the commit. A game with thousands of writing transactions a second may drop this trigger:
-- PostgreSQL serializes the commits of notifying transactions, and the drainer polls every second anyway.
create function chancery_out.notify_outbox() returns trigger language plpgsql as $$
begin
  notify chancery_outbox;
  return null;
end $$;
create trigger notify_outbox after insert on chancery_out.outbox
  for each statement execute function chancery_out.notify_outbox();

-- Writes the state of one item:  select chancery_out.put('nation', jsonb_build_object('id', 42, 'motto', 'Homeward.'));
create function chancery_out.put(resource text, data jsonb) returns void language sql as $$
  insert into chancery_out.outbox (fact) values (jsonb_build_object('op', 'put', 'resource', resource, 'data', data));
$$;

-- Deletes an item:  select chancery_out.delete('treaty', '7');
create function chancery_out.delete(resource text, id text) returns void language sql as $$
  insert into chancery_out.outbox (fact) values (jsonb_build_object('op', 'delete', 'resource', resource, 'id', id));
$$;

-- Writes an event that no state shows; `more` may contain summary, nation_ids, alliance_ids, war_id and conflict_id:
--   select chancery_out.event('game.festival', now(), '{"visitors": 900}', '{"summary": "A festival.", "nation_ids": ["42"]}');
create function chancery_out.event(type text, occurred_at timestamptz, data jsonb, more jsonb default '{}') returns void
language sql as $$
  insert into chancery_out.outbox (fact) values (jsonb_build_object('op', 'event', 'data',
    more || jsonb_build_object('type', type, 'occurred_at', occurred_at, 'data', data)));
$$;

-- Grants, with the names of your roles:
--   grant usage on schema chancery_out to game, chancery_drainer;
--   grant insert on chancery_out.outbox to game;
--   grant select, delete on chancery_out.outbox to chancery_drainer;
--   grant select on chancery_out.outbox_identity to chancery_drainer;

-- A sample trigger. Ids may be integers, and times may have any zone: the drainer converts them.
-- Your triggers need the same rules: write the items of the old row and of the new one, and let no error abort the transaction of the
-- game. Triggers that read views, and record failures, are in docs/game/connect-your-game.md.
--
-- create function publish_war() returns trigger language plpgsql as $$
-- begin
--   if tg_op <> 'INSERT' and (tg_op = 'DELETE' or old.id <> new.id) then
--     perform chancery_out.delete('war', old.id::text);
--   end if;
--   if tg_op <> 'DELETE' then
--     perform chancery_out.put('war', jsonb_build_object(
--       'id', new.id, 'attacker', jsonb_build_object('nation_id', new.attacker), 'defender', jsonb_build_object('nation_id', new.defender),
--       'declared_at', new.declared_at, 'status', case when new.ended_at is null then 'active' else 'ended' end, 'ended_at', new.ended_at));
--   end if;
--   return null;
-- exception when others then
--   raise warning 'war % is not in the outbox: %', coalesce(new.id, old.id), sqlerrm;
--   return null;
-- end $$;
-- create trigger publish_war after insert or update or delete on wars for each row execute function publish_war();
