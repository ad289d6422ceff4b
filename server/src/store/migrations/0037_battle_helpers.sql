-- Battles have helpers on either side, and the alliances of their sides.
alter table chancery_world.battle
  add column attacker_alliance_id text collate "C",
  add column defender_alliance_id text collate "C",
  add column attacker_helper_nation_ids text[] collate "C" not null default '{}',
  add column defender_helper_nation_ids text[] collate "C" not null default '{}';

-- Of earlier battles the alliances of the nations that are sides of their war.
update chancery_world.battle b set
  attacker_alliance_id = case b.attacker_nation_id
    when w.attacker_nation_id then w.attacker_alliance_id when w.defender_nation_id then w.defender_alliance_id end,
  defender_alliance_id = case b.defender_nation_id
    when w.attacker_nation_id then w.attacker_alliance_id when w.defender_nation_id then w.defender_alliance_id end
from chancery_world.war w where w.id = b.war_id;

-- GET /battles: of an alliance, and of a nation that helped. Without fastupdate: every read would scan the rows that are not in the
-- index yet.
create index battle_attacker_alliance on chancery_world.battle (attacker_alliance_id, fought_at desc, id)
  where attacker_alliance_id is not null;
create index battle_defender_alliance on chancery_world.battle (defender_alliance_id, fought_at desc, id)
  where defender_alliance_id is not null;
create index battle_attacker_helper on chancery_world.battle using gin (attacker_helper_nation_ids) with (fastupdate = off);
create index battle_defender_helper on chancery_world.battle using gin (defender_helper_nation_ids) with (fastupdate = off);
