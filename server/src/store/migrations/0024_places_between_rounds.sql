-- The list of all nations is exact between ranking rounds: of the places that are noted, which have no nation.
alter table chancery_world.nation_moved add column is_gone boolean not null default false;
update chancery_world.nation_moved m set is_gone = true
where not exists (select from chancery_world.nation_place p where p.position = m.position);
create index nation_moved_gone on chancery_world.nation_moved (position) where is_gone;

-- Until when processes leave a pause after the latest round.
alter table chancery_world.ranking_round add column rests_until timestamptz;

-- Since when rankings lack a change; null while they lack none.
alter table chancery_world.pulse add column unranked_since timestamptz;
