grant select on all tables in schema chancery_world to chancery_public, chancery_owner, chancery_ingest;
grant insert, update, delete on all tables in schema chancery_world to chancery_ingest;

-- What is for nobody stays out of reach of those who read for owners.
grant select (nation_id, military, economy, production, assignments, player, attributes) on chancery_secret.nation_private to chancery_owner;
grant select (alliance_id, treasury, attributes) on chancery_secret.alliance_private to chancery_owner;
grant select on chancery_secret.member_private to chancery_owner;
grant select, insert, update, delete on all tables in schema chancery_secret to chancery_ingest;

grant select, insert, update, delete on all tables in schema chancery_access to chancery_access;
-- A code proves who leads a nation: of all secrets this is the one that access reads.
grant usage on schema chancery_secret to chancery_access;
grant select (nation_id, player) on chancery_secret.nation_private to chancery_access;
-- A code is redeemed and answered in one statement; the pulse of world and access is read in one.
grant select on chancery_world.nation, chancery_world.alliance, chancery_world.alliance_member, chancery_world.pulse to chancery_access;
