-- A battle may be fought without a declared war.
alter table chancery_world.battle alter column war_id drop not null;
