-- Launches and interceptions say the names of their nations in their data, and not in the summary alone: a name that holds the words of
-- the summary cannot be found there. Names are those that the nation is known to have had, and that the summary begins or ends with;
-- where none is, the name of now.
with launch as materialized (
  select seq, type, summary, data, data ->> 'attacker_nation_id' as attacker, data ->> 'defender_nation_id' as defender
  from chancery_world.event where type in ('strategic_weapon.launched', 'strategic_weapon.intercepted')
), party as materialized (
  select attacker as id from launch union select defender from launch
), known as materialized (
  select n.id, n.nation_name as name from party join chancery_world.nation n using (id)
  union
  select t.id, t.name from party join chancery_world.tombstone t using (id) where t.resource = 'nation' and t.name is not null
  union
  select p.id, w.attacker_nation_name from party p join chancery_world.war w on w.attacker_nation_id = p.id
  union
  select p.id, w.defender_nation_name from party p join chancery_world.war w on w.defender_nation_id = p.id
  union
  select p.id, e.data -> 'nation' ->> 'nation_name'
  from party p join chancery_world.event_nation n on n.nation_id = p.id join chancery_world.event e using (seq)
  where n.type in ('nation.founded', 'nation.renamed', 'nation.deleted')
  union
  select p.id, e.data ->> 'old_name'
  from party p join chancery_world.event_nation n on n.nation_id = p.id join chancery_world.event e using (seq)
  where n.type = 'nation.renamed'
), pair as materialized (
  select distinct on (l.seq) l.seq, a.name as attacker_name, d.name as defender_name
  from launch l join known a on a.id = l.attacker join known d on d.id = l.defender
  where case l.type
    when 'strategic_weapon.launched'
    then starts_with(l.summary, a.name || ' launched a ') and right(l.summary, length(d.name) + 5) = ' at ' || d.name || '.'
      and length(a.name) + length(d.name) + 17 <= length(l.summary)
    else starts_with(l.summary, d.name || ' intercepted a ')
      and right(l.summary, length(a.name) + 14) = ' launched by ' || a.name || '.'
      and length(a.name) + length(d.name) + 29 <= length(l.summary)
  end
  order by l.seq, length(a.name) + length(d.name) desc, a.name, d.name
), current_name as materialized (
  select p.id, coalesce(n.nation_name, t.name, p.id) as name
  from party p left join chancery_world.nation n using (id)
  left join chancery_world.tombstone t on t.resource = 'nation' and t.id = p.id
), weapon as materialized (
  select u ->> 'key' as key, lower(u ->> 'label') as label
  from chancery_meta.game_profile p, jsonb_array_elements(p.profile -> 'units') u
), redacted as materialized (
  -- Of their names, parts may be left in the summary.
  select fact ->> 'id' as id from chancery_secret.redaction where fact ->> 'resource' = 'nation'
  union
  select jsonb_array_elements_text(fact -> 'nations') from chancery_secret.redaction where op = 'erase'
), worded as (
  select l.*, coalesce(pair.attacker_name, attacker_now.name) as attacker_name,
    coalesce(pair.defender_name, defender_now.name) as defender_name,
    coalesce(weapon.label, l.data ->> 'weapon') as weapon_label,
    l.attacker in (select id from redacted) or l.defender in (select id from redacted) as is_redacted
  from launch l
  join current_name attacker_now on attacker_now.id = l.attacker
  join current_name defender_now on defender_now.id = l.defender
  left join pair using (seq)
  left join weapon on weapon.key = l.data ->> 'weapon'
)
update chancery_world.event e
set data = json_build_object(
    'weapon', w.data -> 'weapon',
    'attacker_nation_id', w.attacker, 'attacker_nation_name', w.attacker_name,
    'defender_nation_id', w.defender, 'defender_nation_name', w.defender_name,
    'war_id', w.data -> 'war_id', 'battle_id', w.data -> 'battle_id'
  ),
  summary = case
    when not w.is_redacted then w.summary
    when w.type = 'strategic_weapon.launched'
    then w.attacker_name || ' launched a ' || w.weapon_label || ' at ' || w.defender_name || '.'
    else w.defender_name || ' intercepted a ' || w.weapon_label || ' launched by ' || w.attacker_name || '.'
  end
from worded w where e.seq = w.seq;
