-- Treaties may be between nations, of several kinds, and ended. Both lists of parties have a column, of which one is empty.
alter table chancery_world.treaty
  add column status text not null default 'active',
  add column alliance_ids text[] collate "C" not null default '{}',
  add column nation_ids text[] collate "C" not null default '{}',
  add column types text[] collate "C" not null default '{}',
  add column ended_at timestamptz,
  -- A party was deleted, or its era has ended: a snapshot leaves the treaty, and a fact that does not end it begins another.
  add column is_past boolean not null default false;
update chancery_world.treaty set alliance_ids = array[first_alliance_id, second_alliance_id], types = array[type];
alter table chancery_world.treaty
  drop column first_alliance_id,
  drop column second_alliance_id,
  alter column status drop default,
  alter column alliance_ids drop default,
  alter column nation_ids drop default,
  alter column types drop default,
  alter column is_past drop default;

-- GET /treaties: its order, those in force, and the treaties of a party or of a kind. Without fastupdate: every read would scan the
-- rows that are not in the index yet.
create index treaty_signed on chancery_world.treaty (signed_at desc nulls last, id);
create index treaty_status on chancery_world.treaty (status, signed_at desc nulls last, id);
create index treaty_nations on chancery_world.treaty using gin (nation_ids) with (fastupdate = off);
create index treaty_alliances on chancery_world.treaty using gin (alliance_ids) with (fastupdate = off);
create index treaty_types on chancery_world.treaty using gin (types) with (fastupdate = off);
-- The treaties of an alliance in its own response, which are those in force.
create index treaty_active_alliances on chancery_world.treaty using gin (alliance_ids) with (fastupdate = off)
  where status = 'active';

-- The events of treaties have `types` after `type`.
update chancery_world.event set data = json_build_object(
  'treaty_id', data -> 'treaty_id', 'type', data -> 'type', 'types', json_build_array(data -> 'type'),
  'alliances', data -> 'alliances', 'signed_at', data -> 'signed_at', 'expires_at', data -> 'expires_at')
where type in ('treaty.signed', 'treaty.ended');
