-- What the sender of a feed last said about itself: one row a feed. The document has no data of the world but the names of views.
create table chancery_secret.heartbeat (
  feed text collate "C" primary key,
  heartbeat_at timestamptz not null,
  next_within_seconds bigint,
  read_at timestamptz,
  document jsonb not null
);
grant select, insert, update, delete on chancery_secret.heartbeat to chancery_ingest;
