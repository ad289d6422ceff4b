-- Who still calls what will go: counted with the other calls of a key.

alter table chancery_access.key_hour add column deprecated bigint not null default 0;
