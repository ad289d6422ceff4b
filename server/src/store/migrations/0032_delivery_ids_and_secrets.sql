-- A delivery is named by its event's number, and a test by this: the numbers of the table would tell how many deliveries others have.
alter table chancery_outbound.delivery add column test_id uuid;
update chancery_outbound.delivery set test_id = gen_random_uuid() where seq is null;

-- The secrets before the previous one that still sign: of each, `secret` and `ends_at`.
alter table chancery_outbound.endpoint add column older_secrets jsonb not null default '[]';
