-- The other way: what changes is written to the outbox by the transaction that changes it. Apply outbox.sql first
-- (`chancery outbox sql`), then views.sql: the triggers say a thing in the same words as the views.

-- Each table, the view that shows its rows, the key of that view, and the column of the table that holds the key.
-- A table whose rows are a part of a thing has that thing said anew.
create function legions.tell() returns trigger language plpgsql as $$
declare
  resource text := tg_argv[0];
  key text := tg_argv[1];
  row_is_thing boolean := tg_argv[3] = 'thing';
  id text := to_jsonb(coalesce(new, old)) ->> tg_argv[2];
  thing jsonb;
begin
  execute format('select to_jsonb(v) from chancery_out.%I v where v.%I::text = $1', resource, key) into thing using id;
  if thing is not null then
    perform chancery_out.put(resource, thing);
  elsif row_is_thing then
    perform chancery_out.delete(resource, id);
  end if;
  return null;
end $$;

create trigger tell after insert or update on legions.age
  for each row execute function legions.tell('era', 'number', 'number', 'thing');
create trigger tell after insert or update or delete on legions.country
  for each row execute function legions.tell('nation', 'id', 'id', 'thing');
create trigger tell after insert or update or delete on legions.stock
  for each row execute function legions.tell('nation', 'id', 'country', 'part');
create trigger tell after insert or update or delete on legions.legion
  for each row execute function legions.tell('nation', 'id', 'country', 'part');
create trigger tell after insert or update or delete on legions.clan
  for each row execute function legions.tell('alliance', 'id', 'id', 'thing');
create trigger tell after insert or update or delete on legions.seat
  for each row execute function legions.tell('alliance_member', 'nation_id', 'country', 'thing');
create trigger tell after insert or update or delete on legions.petition
  for each row execute function legions.tell('alliance_application', 'nation_id', 'country', 'thing');
create trigger tell after insert or update or delete on legions.pact
  for each row execute function legions.tell('treaty', 'id', 'id', 'thing');
create trigger tell after insert or update or delete on legions.campaign
  for each row execute function legions.tell('war', 'id', 'id', 'thing');
create trigger tell after insert or update or delete on legions.clash
  for each row execute function legions.tell('battle', 'id', 'id', 'thing');
create trigger tell after insert or update or delete on legions.bazaar
  for each row execute function legions.tell('market_price', 'resource', 'good', 'thing');
create trigger tell after insert or update or delete on legions.herald
  for each row execute function legions.tell('news_item', 'id', 'id', 'thing');
