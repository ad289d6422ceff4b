-- What everybody may read. Ids collate "C"; scores and prices are exact decimals, so that sums never drift.

create table chancery_world.era (
  id text collate "C" primary key,
  number bigint,
  name text not null,
  status text not null,
  started_at timestamptz,
  ended_at timestamptz,
  summary text,
  champion jsonb
);

create table chancery_world.alliance (
  id text collate "C" primary key,
  name text not null,
  tag text not null,
  color text,
  flag_url text,
  description text,
  founded_at timestamptz,
  recruiting boolean,
  attributes jsonb not null default '{}',
  updated_at timestamptz not null,
  search_text text collate "C" not null,
  -- Counters, kept by ingest in the batch's transaction.
  member_count bigint not null default 0,
  total_score numeric not null default 0,
  wars_active bigint not null default 0,
  wars_won bigint not null default 0,
  wars_lost bigint not null default 0
);
create index alliance_total_score on chancery_world.alliance (total_score desc, id);

create table chancery_world.nation (
  id text collate "C" primary key,
  nation_name text not null,
  leader_name text not null,
  national_score numeric(14, 4) not null,
  status text not null,
  government text,
  continent text,
  color text,
  flag_url text,
  motto text,
  founded_at timestamptz,
  city_count bigint,
  land_area numeric(14, 4),
  attributes jsonb not null default '{}',
  updated_at timestamptz not null,
  search_text text collate "C" not null,
  -- Since when the service knows it: what is made anew under the id of one that is gone is another.
  known_since timestamptz not null default now(),
  -- Counters, kept by ingest in the batch's transaction.
  active_offensive bigint not null default 0,
  active_defensive bigint not null default 0,
  wars_won bigint not null default 0,
  wars_lost bigint not null default 0
);
create index nation_national_score on chancery_world.nation (national_score desc, id);

create table chancery_world.alliance_member (
  nation_id text collate "C" primary key,
  alliance_id text collate "C" not null,
  rank text not null,
  joined_at timestamptz
);
create index alliance_member_alliance on chancery_world.alliance_member (alliance_id, rank);

create table chancery_world.treaty (
  id text collate "C" primary key,
  first_alliance_id text collate "C" not null,
  second_alliance_id text collate "C" not null,
  type text not null,
  signed_at timestamptz,
  expires_at timestamptz
);
create index treaty_first on chancery_world.treaty (first_alliance_id);
create index treaty_second on chancery_world.treaty (second_alliance_id);

create table chancery_world.conflict (
  id text collate "C" primary key,
  name text not null,
  status text not null,
  cause text,
  started_at timestamptz not null,
  ended_at timestamptz,
  sides jsonb not null,
  era_id text collate "C",
  wars_active bigint not null default 0,
  wars_total bigint not null default 0,
  battles_count bigint not null default 0,
  -- One element for each side, in the order of `sides`: { nation_count, battles_won, losses }.
  side_numbers jsonb not null default '[]'
);
create index conflict_started on chancery_world.conflict (started_at desc, id);

create table chancery_world.war (
  id text collate "C" primary key,
  type text,
  status text not null,
  reason text,
  attacker_nation_id text collate "C" not null,
  attacker_nation_name text not null,
  attacker_alliance_id text collate "C",
  attacker_alliance_name text,
  defender_nation_id text collate "C" not null,
  defender_nation_name text not null,
  defender_alliance_id text collate "C",
  defender_alliance_name text,
  declared_at timestamptz not null,
  ended_at timestamptz,
  outcome text,
  conflict_id text collate "C",
  era_id text collate "C",
  updated_at timestamptz not null,
  battles_count bigint not null default 0,
  attacker_losses jsonb not null default '{}',
  defender_losses jsonb not null default '{}',
  -- Battles won by the war's attacker and by its defender.
  attacker_battles_won bigint not null default 0,
  defender_battles_won bigint not null default 0
);
create index war_declared on chancery_world.war (declared_at desc, id);
create index war_status on chancery_world.war (status, declared_at desc, id);
create index war_attacker on chancery_world.war (attacker_nation_id, declared_at desc, id);
create index war_defender on chancery_world.war (defender_nation_id, declared_at desc, id);
create index war_attacker_alliance on chancery_world.war (attacker_alliance_id, declared_at desc, id) where attacker_alliance_id is not null;
create index war_defender_alliance on chancery_world.war (defender_alliance_id, declared_at desc, id) where defender_alliance_id is not null;
create index war_conflict on chancery_world.war (conflict_id, declared_at desc, id) where conflict_id is not null;

create table chancery_world.battle (
  id text collate "C" primary key,
  war_id text collate "C" not null,
  kind text,
  fought_at timestamptz not null,
  attacker_nation_id text collate "C" not null,
  defender_nation_id text collate "C" not null,
  victor text,
  losses jsonb not null,
  infrastructure_destroyed numeric(14, 4)
);
create index battle_war on chancery_world.battle (war_id, fought_at, id);

create table chancery_world.market_price (
  resource text collate "C" primary key,
  price numeric(14, 4) not null,
  currency text not null,
  best_bid numeric(14, 4),
  best_ask numeric(14, 4),
  high_24h numeric(14, 4),
  low_24h numeric(14, 4),
  volume_24h bigint,
  traded_value_24h bigint,
  trades_24h bigint,
  change_24h_percent numeric(14, 4),
  as_of timestamptz not null,
  -- What market.price_moved measures from.
  reference_price numeric(14, 4) not null,
  reference_at timestamptz not null
);

create table chancery_world.news_item (
  id text collate "C" primary key,
  title text not null,
  body text not null,
  category text,
  author text,
  published_at timestamptz not null,
  nation_ids jsonb not null,
  alliance_ids jsonb not null
);
create index news_item_published on chancery_world.news_item (published_at desc, id);
create index news_item_category on chancery_world.news_item (category, published_at desc, id);

-- What is gone and may still be referred to.
create table chancery_world.tombstone (
  resource text not null,
  id text collate "C" not null,
  name text,
  deleted_at timestamptz not null,
  primary key (resource, id)
);

-- Search is by substring: text folded in code, and an index of its trigrams wherever the extension was put.
do $$
declare trigram_schema text;
begin
  select nspname into trigram_schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  execute format('create index nation_search on chancery_world.nation using gin (search_text %I.gin_trgm_ops)', trigram_schema);
  execute format('create index alliance_search on chancery_world.alliance using gin (search_text %I.gin_trgm_ops)', trigram_schema);
end $$;
