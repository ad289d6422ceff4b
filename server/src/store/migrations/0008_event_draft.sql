-- Where a batch too large for memory keeps its events before they are numbered. Empty outside a batch; lost without harm
-- in a crash.
create unlogged table chancery_secret.event_draft (
  line bigint not null,
  ordinal bigint not null,
  type text not null,
  occurred_at timestamptz not null,
  summary text not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null,
  war_id text collate "C",
  conflict_id text collate "C",
  data json not null
);
grant select, insert, delete, truncate on chancery_secret.event_draft to chancery_ingest;
