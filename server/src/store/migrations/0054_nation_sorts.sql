-- Two more columns of nations by which lists are sorted, and an index for each order. Ranking rounds create them anew.
-- Without a ranking round: one that is under way would put the table back as it was.
select pg_advisory_xact_lock(1919907182);
alter table chancery_world.nation_ranking
  add column founded_at timestamptz,
  add column city_count bigint;
update chancery_world.nation_ranking p set founded_at = n.founded_at, city_count = n.city_count
from chancery_world.nation n where n.id = p.nation_id and (n.founded_at is not null or n.city_count is not null);
create index nation_ranking_founded on chancery_world.nation_ranking (founded_at desc nulls last, nation_id);
create index nation_ranking_cities on chancery_world.nation_ranking (city_count desc nulls last, nation_id);
create index nation_ranking_name on chancery_world.nation_ranking ((split_part(search_text, e'\n', 1)), nation_id) include (search_text);
