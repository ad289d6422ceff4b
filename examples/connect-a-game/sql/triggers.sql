-- Alternative to the pull: each transaction writes its changes to the outbox. Apply outbox.sql first
-- (`chancery outbox sql`), then views.sql: the triggers write rows of the views.
--
-- Three rules make this safe for a running game:
-- * A view is read by its key, in the type that the key has in the tables. `v.id::text = '42'` would read the whole view for
--   each row, because no index is on id::text.
-- * A change of owner affects both owners: the keys of the old and of the new rows are written.
-- * An error here does not abort the game's transaction: the failed change is stored in legions.publish_failure. Only a
--   cancelled statement ends it (statement_timeout, pg_cancel_backend): `when others` does not catch query_canceled.

-- Changes that could not be written to the outbox. Once the cause is fixed: select legions.publish_failed();
create table legions.publish_failure (
  resource text not null,
  view_key text not null,
  key text not null,
  failed_at timestamptz not null default clock_timestamp(),
  code text not null,
  reason text not null,
  primary key (resource, key)
);

-- Retries failed changes, the oldest first and at most 1,000 a call, and returns the number that is left. Run it when the
-- cause is fixed and the game is idle: until it ends, a transaction whose triggers fail waits for it.
create function legions.publish_failed() returns bigint language plpgsql as $$
declare
  failure legions.publish_failure;
  row_data jsonb;
begin
  -- Waits for transactions that have just failed for a row of the table: their changes must be visible here.
  lock table legions.publish_failure in share row exclusive mode;
  for failure in select * from legions.publish_failure order by failed_at limit 1000 loop
    begin
      -- A literal takes the type of the key that it is compared with, so that the index is used.
      execute format('select (select to_jsonb(v) from chancery_out.%I v where v.%I = %L)', failure.resource, failure.view_key, failure.key)
        into row_data;
      if row_data is null then
        perform chancery_out.delete(failure.resource, failure.key);
      else
        perform chancery_out.put(failure.resource, row_data);
      end if;
      delete from legions.publish_failure f where (f.resource, f.key) = (failure.resource, failure.key);
    exception when others then
      update legions.publish_failure f set failed_at = clock_timestamp(), code = sqlstate, reason = sqlerrm
      where (f.resource, f.key) = (failure.resource, failure.key);
    end;
  end loop;
  return (select count(*) from legions.publish_failure);
end $$;

-- Adds the triggers to a table: for each statement they write the affected rows of the view, each once, or a deletion if the
-- view has no such row. `row_key` is the expression for the key of the view. Each trigger has its own function, so that
-- PostgreSQL plans its query once in a session, and not at each statement.
create function legions.publish_table(rows regclass, resource text, view_key text, row_key text) returns void language plpgsql as $make$
declare
  operation text;
  changed text;
  transition text;
  name text;
begin
  -- Fails if the key of the rows cannot be compared with that of the view: then `row_key` lacks a cast.
  execute format('select from (select %s from %s) one (key) join chancery_out.%I v on v.%I = one.key limit 0',
    row_key, rows, resource, view_key);
  for operation, changed, transition in values
    ('insert', 'select %1$s from new_rows', 'new table as new_rows'),
    ('update', 'select %1$s from old_rows union select %1$s from new_rows', 'old table as old_rows new table as new_rows'),
    ('delete', 'select %1$s from old_rows', 'old table as old_rows')
  loop
    name := format('publish_%s_%s', (select relname from pg_class where oid = rows), operation);
    execute format($function$
      create function legions.%1$I() returns trigger language plpgsql as $body$
      begin
        insert into chancery_out.outbox (fact)
        select case
          when row_data is null then jsonb_build_object('op', 'delete', 'resource', %2$L, 'id', key::text)
          else jsonb_build_object('op', 'put', 'resource', %2$L, 'data', row_data)
        end
        from (
          select key, (select to_jsonb(v) from chancery_out.%2$I v where v.%3$I = changed.key) as row_data
          from (select distinct key from (%4$s) one (key) where key is not null) changed
        ) found;
        return null;
      exception when others then
        begin
          insert into legions.publish_failure (resource, view_key, key, code, reason)
          select distinct %2$L, %3$L, key::text, sqlstate, sqlerrm from (%4$s) one (key) where key is not null
          on conflict do nothing;
        exception when others then
          raise warning 'changes of %% are neither in the outbox nor in legions.publish_failure: %%', tg_table_name, sqlerrm;
        end;
        return null;
      end $body$ $function$, name, resource, view_key, format(changed, row_key));
    execute format('create trigger %I after %s on %s referencing %s for each statement execute function legions.%I()',
      name, operation, rows, transition, name);
  end loop;
end $make$;

-- Each table, the view that shows its rows, the key of that view, and how a row gives that key.
select legions.publish_table('legions.age', 'era', 'id', $$'age-' || number$$);
select legions.publish_table('legions.country', 'nation', 'id', 'id');
select legions.publish_table('legions.stock', 'nation', 'id', 'country');
select legions.publish_table('legions.legion', 'nation', 'id', 'country');
select legions.publish_table('legions.clan', 'alliance', 'id', 'id');
select legions.publish_table('legions.seat', 'alliance_member', 'nation_id', 'country');
select legions.publish_table('legions.petition', 'alliance_application', 'nation_id', 'country');
select legions.publish_table('legions.pact', 'treaty', 'id', 'id');
select legions.publish_table('legions.campaign', 'war', 'id', 'id');
select legions.publish_table('legions.clash', 'battle', 'id', 'id');
select legions.publish_table('legions.bazaar', 'market_price', 'resource', 'good');
select legions.publish_table('legions.herald', 'news_item', 'id', 'id');
