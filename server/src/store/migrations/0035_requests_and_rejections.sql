-- What an attempt sent that cannot be derived from the event later: a rotated secret is deleted, and the version changes.
alter table chancery_outbound.attempt add column signature text, add column user_agent text;

-- Why the attempt at `last_failed_at` failed.
alter table chancery_outbound.endpoint add column last_failed_status smallint, add column last_failed_error text;

-- Why a request was rejected: an error code of the contract and the name of one of its parameters, never a value.
alter table chancery_access.key_request add column error_code text collate "C", add column error_parameter text collate "C";
alter table chancery_access.address_request add column error_code text collate "C", add column error_parameter text collate "C";
alter table chancery_access.key_usage_hour
  add column error_code text collate "C" not null default '', add column error_parameter text collate "C" not null default '',
  drop constraint key_usage_hour_pkey,
  add constraint key_usage_hour_pkey primary key (key_id, hour, operation, status, error_code, error_parameter);
