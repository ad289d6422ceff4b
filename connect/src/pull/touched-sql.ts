import type { DialectName } from './view-templates.ts'

/** SQL that creates the table of touched keys, with triggers to copy. It runs unchanged: the triggers are comments. */
export const touchedSql = (schema: string, dialect: DialectName): string =>
  `-- The keys of changed rows. With this table chancery pull reads the rows of these keys each second, and all rows every ten minutes.
-- A trigger writes keys and nothing else: the views do not run in the game's transaction. The order of the keys does not matter, a key may
-- be written several times, and one that was not written is found when all rows are read. Write the key of the old and of the new row
-- where a change moves something from one to the other, and a key for each view that shows the row. The key * stands for all rows of a view.
${templates[dialect](schema)}`

const templates: Record<DialectName, (schema: string) => string> = {
  postgresql: schema => `
-- Unlogged: a crash of the database empties it, and ends the connection of the pull, which then reads all rows.
create unlogged table ${schema}.touched (
  number bigint generated always as identity primary key,
  resource text not null,
  id text not null
);

-- grant select, delete on ${schema}.touched to reader;

-- One trigger for each table and kind of change. The function writes the keys of one resource; a table that has another key column needs
-- its own. A statement runs it once, and one that changes very many rows costs the game a single key.
--
-- create function ${schema}.touch_nations() returns trigger language plpgsql security definer set search_path = '' as $$
-- begin
--   if (select count(*) from changed) > 10000 then
--     insert into ${schema}.touched (resource, id) values ('nation', '*');
--   else
--     insert into ${schema}.touched (resource, id) select 'nation', id from changed;
--   end if;
--   return null;
-- end $$;
-- create trigger chancery_touched_insert after insert on players
--   referencing new table as changed for each statement execute function ${schema}.touch_nations();
-- create trigger chancery_touched_update after update on players
--   referencing new table as changed for each statement execute function ${schema}.touch_nations();
-- create trigger chancery_touched_delete after delete on players
--   referencing old table as changed for each statement execute function ${schema}.touch_nations();
`,
  mysql: schema => `
create table ${schema}.touched (
  number bigint unsigned auto_increment primary key,
  resource varchar(64) character set ascii not null,
  id varchar(64) character set ascii not null
) engine = InnoDB;

-- grant select, delete on ${schema}.touched to reader@'127.0.0.1';

-- A trigger runs for each row. Where one statement changes very many rows, as a turn does, use no trigger on these columns: let the turn
-- write one key for all of them, insert into ${schema}.touched (resource, id) values ('nation', '*').
-- create trigger chancery_touched_insert after insert on players for each row
--   insert into ${schema}.touched (resource, id) values ('nation', new.id);
-- create trigger chancery_touched_update after update on players for each row
--   insert into ${schema}.touched (resource, id) values ('nation', new.id);
-- create trigger chancery_touched_delete after delete on players for each row
--   insert into ${schema}.touched (resource, id) values ('nation', old.id);
`,
  sqlite:
    schema => `-- chancery pull deletes the keys that it has read: it must be allowed to write the file, and writes nothing else.

create table ${schema}_touched (
  number integer primary key autoincrement,
  resource text not null,
  id text not null
);

-- create trigger chancery_touched_insert after insert on players begin
--   insert into ${schema}_touched (resource, id) values ('nation', new.id); end;
-- create trigger chancery_touched_update after update on players begin
--   insert into ${schema}_touched (resource, id) values ('nation', new.id); end;
-- create trigger chancery_touched_delete after delete on players begin
--   insert into ${schema}_touched (resource, id) values ('nation', old.id); end;
`,
}
