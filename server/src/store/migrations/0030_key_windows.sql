-- The rate-limit window of a key that replaces another is the one of the key that it replaces; null for a key's own.

alter table chancery_access.api_key add column window_id text collate "C";
