-- What Chancery reads: a view for each resource, with the names of its facts. All renaming is done here.
-- A column that is left out is simply not known outside; private ones need no view at all.

create schema if not exists chancery_out;

create view chancery_out.era as
select
  'age-' || a.number as id,
  a.number,
  a.title as name,
  case when a.finished is null then 'active' else 'ended' end as status,
  a.begun as started_at,
  a.finished as ended_at,
  -- An object may be given whole, as JSON.
  (select jsonb_build_object('alliance_id', c.id::text, 'name', c.title) from legions.clan c where c.id = a.crowned_clan) as champion
from legions.age a;

create view chancery_out.nation as
select
  c.id,
  c.name as nation_name,
  c.ruler as leader_name,
  c.glory as national_score,
  case when c.resting then 'vacation' else 'active' end as status,
  c.rule as government,
  c.shore as continent,
  c.motto,
  c.towns as city_count,
  c.founded as founded_at,
  -- Whose country it is: the game's own id of the player. Keys and codes belong to players.
  c.account as player,
  -- For the player alone, through a key with the scope economy.read. A member that is left out stays as it was, so none is: 0 where
  -- there is no row.
  jsonb_build_object(
    'credits', c.gold,
    'resources', (
      select '{"grain": 0, "timber": 0, "iron": 0, "marble": 0}' || coalesce(jsonb_object_agg(s.good, s.amount), '{}')
      from legions.stock s where s.country = c.id
    )
  ) as economy,
  -- For the player alone, through a key with the scope military.read.
  jsonb_build_object(
    'units', (
      select '{"legionary": 0, "cavalry": 0, "galley": 0, "spy": 0}' || coalesce(jsonb_object_agg(l.arm, l.in_field), '{}')
      from legions.legion l where l.country = c.id
    ),
    'reserves', (
      select '{"legionary": 0, "cavalry": 0, "galley": 0, "spy": 0}' || coalesce(jsonb_object_agg(l.arm, l.in_barracks), '{}')
      from legions.legion l where l.country = c.id
    )
  ) as military,
  -- An attribute of this game, with the class that profile.json gives it.
  jsonb_build_object('unrest', c.unrest) as attributes,
  -- Admin-only: ingested, never returned.
  c.warden_notes as moderation_notes
from legions.country c;

create view chancery_out.alliance as
select
  c.id,
  c.title as name,
  c.short as tag,
  c.colour as color,
  c.open_gates as recruiting,
  c.founded as founded_at,
  jsonb_build_object('creed', c.creed) as attributes,
  -- For members who may see it in the game: consuls and tribunes, by the tiers of profile.json.
  jsonb_build_object('credits', c.chest) as treasury
from legions.clan c;

create view chancery_out.alliance_member as
select s.country as nation_id, s.clan as alliance_id, s.rank, s.since as joined_at
from legions.seat s;

create view chancery_out.alliance_application as
select p.country as nation_id, p.clan as alliance_id, p.handed_in as applied_at
from legions.petition p;

create view chancery_out.treaty as
select p.id, array[p.one::text, p.other::text] as alliance_ids, p.kind as type, p.sealed as signed_at
from legions.pact p;

create view chancery_out.war as
select
  c.id,
  c.kind as type,
  case when c.finished is null then 'active' else 'ended' end as status,
  c.cry as reason,
  -- Names and alliances of the two sides are taken down by Chancery as they are when the war is declared.
  jsonb_build_object('nation_id', c.aggressor::text) as attacker,
  jsonb_build_object('nation_id', c.victim::text) as defender,
  c.begun as declared_at,
  c.finished as ended_at,
  case c.won_by when 'aggressor' then 'attacker_victory' when 'victim' then 'defender_victory' when 'none' then 'peace' end as outcome
from legions.campaign c;

create view chancery_out.battle as
select
  c.id,
  c.campaign as war_id,
  c.ground as kind,
  c.fought as fought_at,
  c.attacker as attacker_nation_id,
  c.defender as defender_nation_id,
  c.won_by as victor,
  jsonb_build_object('attacker', c.attacker_dead, 'defender', c.defender_dead) as losses
from legions.clash c;

create view chancery_out.market_price as
select b.good as resource, b.price, 'gold' as currency, b.as_of
from legions.bazaar b;

create view chancery_out.news_item as
select h.id, h.headline as title, h.story as body, h.cried as published_at
from legions.herald h;
