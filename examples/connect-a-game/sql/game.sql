-- The database of a small game, as its own developers made it. It knows nothing of Chancery.

create schema legions;

create table legions.account (
  id integer generated always as identity primary key,
  login text not null unique,
  email text not null
);

create table legions.age (
  number integer primary key,
  title text not null,
  begun timestamptz not null,
  finished timestamptz,
  crowned_clan integer
);

create table legions.country (
  id integer generated always as identity primary key,
  name text not null,
  ruler text not null,
  account integer references legions.account,
  motto text,
  rule text,
  shore text,
  glory numeric(12, 2) not null default 0,
  gold bigint not null default 0,
  towns integer not null default 1,
  unrest integer not null default 0,
  resting boolean not null default false,
  warden_notes text,
  founded timestamptz not null
);

create table legions.stock (
  country integer not null references legions.country on delete cascade,
  good text not null,
  amount bigint not null,
  primary key (country, good)
);

create table legions.legion (
  country integer not null references legions.country on delete cascade,
  arm text not null,
  in_field bigint not null default 0,
  in_barracks bigint not null default 0,
  primary key (country, arm)
);

create table legions.clan (
  id integer generated always as identity primary key,
  title text not null,
  short text not null,
  colour text not null,
  creed text,
  chest bigint not null default 0,
  open_gates boolean not null default true,
  founded timestamptz not null
);

create table legions.seat (
  country integer primary key references legions.country on delete cascade,
  clan integer not null references legions.clan on delete cascade,
  rank text not null,
  since timestamptz not null
);

create table legions.petition (
  country integer primary key references legions.country on delete cascade,
  clan integer not null references legions.clan on delete cascade,
  handed_in timestamptz not null
);

create table legions.pact (
  id integer generated always as identity primary key,
  one integer not null references legions.clan on delete cascade,
  other integer not null references legions.clan on delete cascade,
  kind text not null,
  sealed timestamptz not null
);

create table legions.campaign (
  id integer generated always as identity primary key,
  aggressor integer not null references legions.country,
  victim integer not null references legions.country,
  kind text not null,
  cry text,
  begun timestamptz not null,
  finished timestamptz,
  won_by text check (won_by in ('aggressor', 'victim', 'none'))
);

create table legions.clash (
  id integer generated always as identity primary key,
  campaign integer not null references legions.campaign,
  ground text not null,
  fought timestamptz not null,
  attacker integer not null references legions.country,
  defender integer not null references legions.country,
  won_by text check (won_by in ('attacker', 'defender')),
  attacker_dead jsonb not null default '{}',
  defender_dead jsonb not null default '{}'
);

create table legions.bazaar (
  good text primary key,
  price numeric(10, 2) not null,
  as_of timestamptz not null
);

create table legions.herald (
  id integer generated always as identity primary key,
  headline text not null,
  story text not null,
  cried timestamptz not null
);
