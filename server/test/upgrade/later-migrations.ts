import type { Migration } from '../../src/store/migrations.ts'

/** A migration of a version to come, which keeps what this one reads. */
export const later = (number: number, text: string): Migration => ({
  number,
  name: `${number}_later.sql`,
  text,
  checksum: `checksum of ${number}`,
  isTransactional: true,
})
export const adding = (number: number) =>
  later(
    number,
    `alter table chancery_world.nation add column later_${number} integer not null default 0;
     create index nation_later_${number} on chancery_world.nation (later_${number});
     alter table chancery_secret.nation_private add column later_${number} text;
     alter table chancery_access.api_key add column later_${number} text;
     alter table chancery_world.event add column later_${number} text;
     create table chancery_world.later_${number} (id text primary key)`,
  )
