-- A search looks at the names of all nations, and PostgreSQL gets at a column by walking through those before it in the row. So names
-- come first, then what else lists select by. The rows are written anew once; each ranking round writes them so from then on.
-- Without a ranking round: one that is under way would put the table back as it was.
select pg_advisory_xact_lock(1919907182);
create table chancery_world.nation_place_ordered (
  position bigint not null,
  search_text text collate "C",
  status text,
  score_now numeric(14, 4),
  alliance_id text collate "C",
  nation_id text collate "C" not null,
  rank bigint,
  previous_rank bigint,
  national_score numeric(14, 4) not null
) with (fillfactor = 85);
insert into chancery_world.nation_place_ordered
  (position, search_text, status, score_now, alliance_id, nation_id, rank, previous_rank, national_score)
select position, search_text, status, score_now, alliance_id, nation_id, rank, previous_rank, national_score
from chancery_world.nation_place order by position;
alter table chancery_world.nation_place_ordered
  add constraint nation_place_ordered_pkey primary key (position),
  add constraint nation_place_ordered_nation_id_key unique (nation_id);
create index nation_place_ordered_alliance on chancery_world.nation_place_ordered (alliance_id, position) include (status);
create index nation_place_ordered_status on chancery_world.nation_place_ordered (status, position) where status <> 'active';
analyze chancery_world.nation_place_ordered;
alter table chancery_world.nation_place_ordered owner to chancery_ingest;
grant select on chancery_world.nation_place_ordered to chancery_public, chancery_owner;

drop table chancery_world.nation_place;
alter table chancery_world.nation_place_ordered rename to nation_place;
alter index chancery_world.nation_place_ordered_pkey rename to nation_place_pkey;
alter index chancery_world.nation_place_ordered_nation_id_key rename to nation_place_nation_id_key;
alter index chancery_world.nation_place_ordered_alliance rename to nation_place_alliance;
alter index chancery_world.nation_place_ordered_status rename to nation_place_status;
