-- A ranking round that updates its tables deletes the logged changes: truncating the log would take it longer than all the rest.
grant delete on chancery_secret.nation_ranking_log to chancery_ingest;
-- And updates need a table with the statistics that a round adds to a new one.
create statistics if not exists chancery_world.nation_ranking_block on (position / 512) from chancery_world.nation_ranking;
alter statistics chancery_world.nation_ranking_block owner to chancery_ingest;
