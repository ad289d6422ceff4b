import type { Contract, RedactableResource } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'

/** The numbers of all events that may repeat texts of a thing, in order. */
export async function eventsOf(
  db: Database,
  contract: Contract,
  { resource, key }: { resource: RedactableResource; key: string },
): Promise<number[]> {
  const rows = await db.rows<{ seq: number }>(
    sql`select seq from (${selections[resource](key, contract)}) told order by seq`,
  )
  return rows.map(({ seq }) => seq)
}

const selections: Record<RedactableResource, (key: string, contract: Contract) => Sql> = {
  nation: key => sql`select seq from chancery_world.event_nation where nation_id = ${key}`,
  // The sides of a conflict may be called after an alliance, and each event of who joined it says so.
  alliance: key => sql`
    select seq from chancery_world.event_alliance where alliance_id = ${key}
    union
    select seq from chancery_world.event where type = 'conflict.joined' and conflict_id in (
      select e.conflict_id from chancery_world.event_alliance a join chancery_world.event e using (seq)
      where a.alliance_id = ${key} and a.type like 'conflict.%')`,
  war: key => sql`select seq from chancery_world.event where war_id = ${key}`,
  conflict: (key, { eventKinds }) => sql`
    select seq from chancery_world.event where conflict_id = ${key}
      and type = any(${Object.keys(eventKinds).filter(type => /^(conflict|game)\./.test(type))})`,
  era: key => sql`
    select seq from chancery_world.event where type in ('era.started', 'era.ended') and data -> 'era' ->> 'era_id' = ${key}`,
  news_item: key => sql`
    select seq from chancery_world.event where type = 'news.published' and data ->> 'news_id' = ${key}`,
}
