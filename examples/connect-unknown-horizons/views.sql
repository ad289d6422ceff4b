-- The world of Unknown Horizons as chancery pull reads it, in the SQLite file of the game. Ids are row ids; the trader and the pirates are
-- players of the game itself.
create view chancery_out_nation as
select
  p.rowid as id,
  p.name as nation_name,
  p.name as leader_name,
  p.settler_level as national_score,
  (select count(*) from settlement s where s.owner = p.rowid) as city_count,
  p.client_id as player,
  (select count(*) from unit u where u.owner = p.rowid) as "attributes.ships",
  coalesce((select amount from storage where object = p.rowid and resource = 1), 0) as "economy.credits",
  -- The goods are in the warehouses of the settlements.
  (select coalesce(sum(amount), 0) from storage t join settlement s on s.rowid = t.object where s.owner = p.rowid and t.resource = 4)
    as "economy.resources.boards",
  (select coalesce(sum(amount), 0) from storage t join settlement s on s.rowid = t.object where s.owner = p.rowid and t.resource = 6)
    as "economy.resources.tools",
  (select coalesce(sum(amount), 0) from storage t join settlement s on s.rowid = t.object where s.owner = p.rowid and t.resource = 7)
    as "economy.resources.bricks"
from player p
where p.is_trader = 0 and p.is_pirate = 0;

-- Allied players. The game stores a pair once.
create view chancery_out_treaty as
select
  d.player1 || '-' || d.player2 as id,
  json_array(cast(d.player1 as text), cast(d.player2 as text)) as nation_ids,
  'alliance' as type
from diplomacy_allies d
where d.player1 in (select id from chancery_out_nation) and d.player2 in (select id from chancery_out_nation);
