-- What only owners, members and the game's own staff may know.

create table chancery_secret.nation_private (
  nation_id text collate "C" primary key,
  military jsonb,
  economy jsonb,
  production jsonb,
  assignments jsonb,
  player text collate "C",
  moderation_notes text,
  -- Attributes by who may read them: the owner, and nobody.
  attributes jsonb not null default '{}',
  admin_attributes jsonb not null default '{}'
);
create index nation_private_player on chancery_secret.nation_private (player) where player is not null;

create table chancery_secret.alliance_private (
  alliance_id text collate "C" primary key,
  treasury jsonb,
  moderation_notes text,
  -- Attributes by who may read them: the owner, and nobody.
  attributes jsonb not null default '{}',
  admin_attributes jsonb not null default '{}'
);

create table chancery_secret.member_private (
  nation_id text collate "C" primary key,
  can_view_treasury boolean
);

create table chancery_secret.alliance_application (
  nation_id text collate "C" primary key,
  alliance_id text collate "C" not null,
  applied_at timestamptz
);

-- Every batch that was applied: by its id it is never applied again.
create table chancery_secret.batch (
  id text collate "C" primary key,
  content_hash bytea not null,
  applied_at timestamptz not null,
  facts bigint not null,
  events bigint not null,
  last_seq bigint not null
);
