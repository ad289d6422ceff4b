create table chancery_world.market_price_history (
  resource text collate "C" not null,
  interval text not null check (interval in ('hour', 'day')),
  starts_at timestamptz not null,
  open numeric not null,
  high numeric not null,
  low numeric not null,
  close numeric not null,
  volume_24h bigint,
  -- The times of the first and the last price, which may arrive in any order.
  opened_at timestamptz not null,
  closed_at timestamptz not null,
  primary key (interval, resource, starts_at)
);
create index market_price_history_time on chancery_world.market_price_history (interval, starts_at, resource);
grant select, insert, update, delete on chancery_world.market_price_history to chancery_ingest;
grant select on chancery_world.market_price_history to chancery_public, chancery_owner;
