-- Schemas follow the classes of the contract, roles follow the doors: a public read cannot reach a secret by permission.

create schema chancery_world;
create schema chancery_secret;
create schema chancery_access;

-- Roles belong to the whole cluster; another database of it may have made them already.
do $$
declare role_name text;
begin
  foreach role_name in array array['chancery_public', 'chancery_owner', 'chancery_access', 'chancery_ingest'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end $$;

grant usage on schema chancery_world to chancery_public, chancery_owner, chancery_access, chancery_ingest;
grant usage on schema chancery_secret to chancery_owner, chancery_ingest;
grant usage on schema chancery_access to chancery_access;

-- Ranking rounds write a fresh table and swap it in.
grant create on schema chancery_world to chancery_ingest;

create extension if not exists pg_trgm;
