-- The events of each alliance and of each type as bits, one for each number of a block, as server/src/events/event-blocks.ts writes and
-- reads them.
create table chancery_world.event_block (
  filter text not null,
  value text collate "C" not null,
  block integer not null,
  bits bit(32768) not null,
  primary key (filter, value, block)
);
-- Nearly all bits are equal: compressed, a row takes some hundred bytes.
alter table chancery_world.event_block alter column bits set storage main;
grant select, insert, update, delete on chancery_world.event_block to chancery_ingest;
grant select on chancery_world.event_block to chancery_public, chancery_owner;

-- Events before this number are in blocks.
alter table chancery_world.pulse add column event_blocks_end bigint not null default 0;
