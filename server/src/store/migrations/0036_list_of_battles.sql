-- GET /battles: its order, and the battles of a nation.
create index battle_fought on chancery_world.battle (fought_at desc, id);
create index battle_attacker on chancery_world.battle (attacker_nation_id, fought_at desc, id);
create index battle_defender on chancery_world.battle (defender_nation_id, fought_at desc, id);
