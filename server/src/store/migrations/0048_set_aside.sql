-- Facts that were set aside from their batches: dead letters of one fact each, which the service retries by itself.
alter table chancery_secret.dead_letter add column is_set_aside boolean not null default false;
create index dead_letter_set_aside on chancery_secret.dead_letter (first_rejected_at, id) where is_set_aside and superseded_by is null;
