-- What the attacker and the defender are, whether one attacked, the war that is continued, and the nations that take part besides.
alter table chancery_world.war
  add column attacker_type text not null default 'nation',
  add column defender_type text not null default 'nation',
  add column is_mutual boolean not null default false,
  add column follows_war_id text collate "C",
  add column participants jsonb not null default '[]';
alter table chancery_world.war
  alter column attacker_type drop default,
  alter column defender_type drop default,
  alter column is_mutual drop default,
  alter column participants drop default;
create index war_follows on chancery_world.war (follows_war_id, declared_at desc, id) where follows_war_id is not null;

-- The participants without names, by nation: GET /wars?nation_id, the sides of battles, and the copies that a redaction replaces.
create table chancery_world.war_participant (
  war_id text collate "C" not null,
  number bigint not null,
  side text not null,
  nation_id text collate "C" not null,
  alliance_id text collate "C",
  joined_at timestamptz,
  left_at timestamptz,
  primary key (war_id, number)
);
create index war_participant_nation on chancery_world.war_participant (nation_id, war_id);
create index war_participant_alliance on chancery_world.war_participant (alliance_id) where alliance_id is not null;
grant select, insert, delete on chancery_world.war_participant to chancery_ingest;
grant select on chancery_world.war_participant to chancery_public, chancery_owner;

-- Empty outside a batch.
alter table chancery_secret.war_counter_snapshot add column participants jsonb not null;
