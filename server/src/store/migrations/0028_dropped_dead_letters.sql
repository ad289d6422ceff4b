-- Refused batches that were dropped, or lost their facts, because there was no room for them. Ids alone: nothing of what they said.
create table chancery_secret.refused_dropped (
  number bigint generated always as identity primary key,
  id text collate "C" not null,
  feed text collate "C",
  facts bigint not null,
  bytes bigint not null,
  is_listed boolean not null,
  dropped_at timestamptz not null
);
grant select, insert, update, delete on chancery_secret.refused_dropped to chancery_ingest;
