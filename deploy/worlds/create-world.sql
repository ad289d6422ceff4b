-- Creates the database of a world and the user that owns it, unless they exist, and sets the password of the user. For psql 15 or newer,
-- as a superuser of the server:
--   WORLD=eu1 WORLD_PASSWORD=… psql --dbname=postgres --file=create-world.sql
\set ON_ERROR_STOP on
\getenv world WORLD
\getenv password WORLD_PASSWORD

set client_min_messages = warning;

-- Two worlds may be created at the same time.
select pg_advisory_lock(hashtext('chancery world'));

-- The roles of access, which belong to the whole server: without login, and without rights but those that each database grants them.
select format('create role %I nologin', name)
from unnest(array['chancery_public', 'chancery_owner', 'chancery_access', 'chancery_ingest', 'chancery_outbound']) as name
where not exists (select from pg_roles where rolname = name)
\gexec

-- `createrole`: a migration may create a further role of access.
select format('create role %I login createrole', :'world')
where not exists (select from pg_roles where rolname = :'world')
\gexec
select format('alter role %I password %L', :'world', :'password')
\gexec
select format('grant chancery_public, chancery_owner, chancery_access, chancery_ingest, chancery_outbound to %I', :'world')
\gexec

select format('create database %I owner %I', :'world', :'world')
where not exists (select from pg_database where datname = :'world')
\gexec
-- The users of other worlds cannot connect to it.
select format('revoke connect, temporary on database %I from public', :'world')
\gexec
