-- A ranking round that updates its tables deletes the logged changes: truncating the log would take it longer than all the rest.
grant delete on chancery_secret.nation_ranking_log to chancery_ingest;
