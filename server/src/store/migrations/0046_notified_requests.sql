-- Whether the operator's webhook has received a request for a higher limit, and until when a process is trying. Earlier ones are known.
alter table chancery_access.limit_request
  add column notified_at timestamptz default 'epoch',
  add column notifying_until timestamptz;
alter table chancery_access.limit_request alter column notified_at drop default;
