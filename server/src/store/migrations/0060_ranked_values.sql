-- The values by which nations are ranked, in the index that lists scan: lists by an attribute read all nations before.
-- Without a ranking round: one that is under way would put the table back as it was.
select pg_advisory_xact_lock(1919907182);
alter table chancery_world.nation_ranking add column ranked_values jsonb not null default '{}';
update chancery_world.nation_ranking p set ranked_values = v.of_nation
from (
  select n.id, jsonb_object_agg(e.key, e.value) as of_nation
  from chancery_meta.game_profile, jsonb_array_elements(profile -> 'attributes' -> 'nation') a,
    chancery_world.nation n, jsonb_each(n.attributes) e
  where (a.value -> 'ranked')::boolean and e.key = a.value ->> 'key' and e.value <> 'null'
  group by n.id
) v
where v.id = p.nation_id;
