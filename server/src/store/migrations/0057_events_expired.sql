-- When the first number of the event log was raised: events before it are deleted some time later.
alter table chancery_world.pulse add column events_expired_at timestamptz;
