-- What a conflict's numbers are added up from: a batch adds to these what its wars have become, so that it costs no more in a conflict of
-- many wars. All of it follows from wars, also where their conflict is gone and may come back. Only who writes it reads it.

-- For which alliance a nation fights, on how many sides of the conflict's wars. With none it fights no more.
create table chancery_world.conflict_fighter (
  conflict_id text collate "C" not null,
  nation_id text collate "C" not null,
  alliance_id text collate "C" not null,
  wars bigint not null,
  primary key (conflict_id, nation_id, alliance_id)
) with (fillfactor = 85);
-- How many of a unit an alliance lost in the wars that tell of such a loss, of none too. Empty: the battles that it won, in all wars.
create table chancery_world.conflict_tally (
  conflict_id text collate "C" not null,
  alliance_id text collate "C" not null,
  unit text collate "C" not null,
  wars bigint not null,
  number numeric not null,
  primary key (conflict_id, alliance_id, unit)
) with (fillfactor = 70);

insert into chancery_world.conflict_fighter (conflict_id, nation_id, alliance_id, wars)
select w.conflict_id, side.nation_id, side.alliance_id, count(*)
from chancery_world.war w, lateral (
  values (attacker_alliance_id, attacker_nation_id), (defender_alliance_id, defender_nation_id)
) side (alliance_id, nation_id)
where w.conflict_id is not null and side.alliance_id is not null
group by 1, 2, 3;
insert into chancery_world.conflict_tally (conflict_id, alliance_id, unit, wars, number)
select w.conflict_id, side.alliance_id, part.unit, count(*), sum(part.number)
from chancery_world.war w, lateral (
  values (attacker_alliance_id, attacker_battles_won, attacker_losses), (defender_alliance_id, defender_battles_won, defender_losses)
) side (alliance_id, battles_won, losses), lateral (
  select '', side.battles_won::numeric union all select unit, lost::numeric from jsonb_each_text(side.losses) as units (unit, lost)
) part (unit, number)
where w.conflict_id is not null and side.alliance_id is not null
group by 1, 2, 3;

-- Wars of conflicts as they were before the batch that changes them. Empty outside a batch.
create unlogged table chancery_secret.counted_war (
  id text collate "C" primary key,
  conflict_id text collate "C" not null,
  status text not null,
  battles_count bigint not null,
  attacker_nation_id text collate "C" not null,
  attacker_alliance_id text collate "C",
  attacker_battles_won bigint not null,
  attacker_losses jsonb not null,
  defender_nation_id text collate "C" not null,
  defender_alliance_id text collate "C",
  defender_battles_won bigint not null,
  defender_losses jsonb not null
);

grant select, insert, update on chancery_world.conflict_fighter, chancery_world.conflict_tally to chancery_ingest;
grant select, insert, delete on chancery_secret.counted_war to chancery_ingest;
