-- When the database server started that wrote the row. A replica that has it follows this server, and not one that it has replaced.
alter table chancery_access.pulse add column server_started_at timestamptz;

-- The same of the server that applied the last batch, and the timeline of its write-ahead log: a server that was promoted begins a new one.
alter table chancery_world.pulse add column server_started_at timestamptz, add column timeline text;

create function chancery_world.server_timeline() returns text language plpgsql as $$
begin
  return left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  -- Some services that are compatible with PostgreSQL have no such log.
  return null;
end
$$;
revoke execute on function chancery_world.server_timeline() from public;
grant execute on function chancery_world.server_timeline() to chancery_ingest;
