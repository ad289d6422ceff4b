-- A transaction of its own: rows are locked here, never the table, and readers go on.
update chancery_world.nation_place p set status = n.status, score_now = n.national_score, search_text = n.search_text
from chancery_world.nation n where n.id = p.nation_id;

insert into chancery_world.nation_place (position, nation_id, national_score, status, score_now, search_text)
select (select coalesce(max(position), 0) from chancery_world.nation_place) + row_number() over (order by n.id),
  n.id, n.national_score, n.status, n.national_score, n.search_text
from chancery_world.nation n
where not exists (select from chancery_world.nation_place p where p.nation_id = n.id);
