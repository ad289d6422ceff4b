import { type Contract, originsIn, type RedactableResource } from '@chancery/contract'
import { type Database, type Sql, sql } from '../store/database.ts'
import { idPathsByKind, isCopyFrom } from './denormalized-copies.ts'

/** The numbers of all events that may repeat texts of a thing, in order. */
export async function affectedEvents(
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
  // A conflict has an event for each of its wars and launches.
  conflict: (key, contract) => sql`
    select seq from chancery_world.event where conflict_id = ${key}
      and type <> all(${kindsWithoutTextsOf(contract, 'conflict')}::text[])`,
  era: (key, contract) => namingInData(key, contract, 'era'),
  news_item: (key, contract) => namingInData(key, contract, 'news_item'),
}

/** Kinds known to hold neither copies from the resource nor texts that people wrote. */
const kindsWithoutTextsOf = ({ eventKinds }: Contract, resource: RedactableResource): string[] =>
  Object.entries(eventKinds)
    .filter(
      ([, { summarize, data }]) =>
        summarize !== undefined &&
        !originsIn(data).some(origin => origin === 'written' || isCopyFrom(origin, resource)),
    )
    .map(([type]) => type)

/** No column says which events are about an era or an item of news: their data does. */
function namingInData(key: string, contract: Contract, resource: RedactableResource): Sql {
  const places = [...idPathsByKind(contract, resource)].flatMap(([type, paths]) =>
    paths.map(path => ({ type, path: `${path} ? (@ == $key)` })),
  )
  return sql`
    select distinct e.seq
    from unnest(${places.map(({ type }) => type)}::text[], ${places.map(({ path }) => path)}::text[]) as k (type, path)
    join chancery_world.event e on e.type = k.type
    where jsonb_path_exists(e.data::jsonb, k.path::jsonpath, jsonb_build_object('key', ${key}::text))`
}
