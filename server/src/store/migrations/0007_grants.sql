grant select on all tables in schema chancery_world to chancery_public, chancery_owner, chancery_ingest;
grant insert, update, delete on all tables in schema chancery_world to chancery_ingest;

grant select on chancery_secret.nation_private, chancery_secret.alliance_private, chancery_secret.member_private to chancery_owner;
grant select, insert, update, delete on all tables in schema chancery_secret to chancery_ingest;

grant select, insert, update, delete on all tables in schema chancery_access to chancery_access;
-- A code is redeemed and answered in one statement; the pulse of world and access is read in one.
grant select on chancery_world.nation, chancery_world.alliance, chancery_world.alliance_member, chancery_world.pulse to chancery_access;
