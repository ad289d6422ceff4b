-- Whether a batch is news is said once, where the batch is: spans of quiet history are stepped over, not read.

alter table chancery_world.logging add column is_announced boolean not null default true;
update chancery_world.logging l set is_announced = false
from chancery_world.event e where e.seq = l.first_seq and not e.is_announced;
alter table chancery_world.logging alter column is_announced drop default;
alter table chancery_world.event drop column is_announced;
