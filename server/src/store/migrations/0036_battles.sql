-- A battle may be fought without a declared war, and may last.
alter table chancery_world.battle
  alter column war_id drop not null,
  add column status text not null default 'ended',
  add column started_at timestamptz,
  add column ended_at timestamptz;
alter table chancery_world.battle alter column status drop default;

-- GET /battles: its order, those that last, and the battles of a nation.
create index battle_fought on chancery_world.battle (fought_at desc, id);
create index battle_status on chancery_world.battle (status, fought_at desc, id);
create index battle_attacker on chancery_world.battle (attacker_nation_id, fought_at desc, id);
create index battle_defender on chancery_world.battle (defender_nation_id, fought_at desc, id);
