-- Limits of the operator for addresses without a key, for a time: 0 blocks them.
create table chancery_access.address_limit (
  address text collate "C" primary key,
  calls_per_minute integer not null check (calls_per_minute >= 0),
  note text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
grant select, insert, update, delete on chancery_access.address_limit to chancery_access;
