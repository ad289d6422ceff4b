-- What lists of nations select by stands beside the place that orders them, as it is now: a list reads one narrow table in its order,
-- whatever it selects. Ingest keeps it in the batch's transaction. Who is younger than the latest round comes behind all others.
alter table chancery_world.nation_place
  -- Null: younger than the latest round.
  alter column rank drop not null,
  -- Null in what a round of an earlier version wrote; the next round fills it.
  add column status text,
  add column score_now numeric(14, 4),
  add column search_text text collate "C";
-- Room on each page, so that a row that changes stays where it is in the order.
alter table chancery_world.nation_place set (fillfactor = 85);
