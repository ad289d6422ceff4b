import {
  type Contract,
  type EventKind,
  originOf,
  originsIn,
  type RedactableResource,
  type TextSchema,
} from '@chancery/contract'
import { type Batch, chunksOf } from '../ingest/batch.ts'
import { type Database, raw, type Sql, sql } from '../store/database.ts'
import {
  idPathsByKind,
  isCopyFrom,
  type Replacement,
  replaceCopies,
  replaceWritten,
} from './denormalized-copies.ts'
import type { PreviousValues } from './previous-values.ts'

/** Replaces an entity's name in rows that copy it: tombstones, wars and champions of eras. Adds the replaced names to `previous`. */
export async function rewriteRows(
  batch: Batch,
  { resource, key, texts }: Replacement,
  previous: PreviousValues,
): Promise<void> {
  const name = texts.nation_name ?? texts.name
  if (typeof name !== 'string') return
  const names = await batch.db.rows<{ name: string }>(
    namesOf[resource]?.(key) ?? nameOfTombstone(resource, key),
  )
  for (const known of names) previous.add(known.name, name)
  await batch.db.rows(sql`
    update chancery_world.tombstone set name = ${name} where resource = ${resource} and id = ${key} and name is not null`)
  if (resource === 'nation') await rewriteWars(batch, 'nation', key, name)
  if (resource === 'alliance') {
    await rewriteWars(batch, 'alliance', key, name)
    await batch.db.rows(sql`
      update chancery_world.era set champion = champion || jsonb_build_object('name', ${name}::text)
      where champion ->> 'alliance_id' = ${key}`)
  }
}

const nameOfTombstone = (resource: string, key: string): Sql => sql`
  select name from chancery_world.tombstone where resource = ${resource} and id = ${key} and name is not null`

/** The wars `w` with participants that are a nation, or were in an alliance. */
const joinedWars = (what: 'nation' | 'alliance', key: string): Sql =>
  sql`w.id = any(array(select p.war_id from chancery_world.war_participant p where p.${raw(`${what}_id`)} = ${key}))`

const participantsWith = (what: 'nation' | 'alliance', key: string): Sql => sql`
  chancery_world.war w, jsonb_array_elements(w.participants) as nation
  where ${joinedWars(what, key)} and nation ->> ${raw(`'${what}_id'`)} = ${key}`

const namesOf: Partial<Record<Replacement['resource'], (key: string) => Sql>> = {
  nation: key => sql`
    select attacker_nation_name as name from chancery_world.war where attacker_nation_id = ${key}
    union select defender_nation_name from chancery_world.war where defender_nation_id = ${key}
    union select nation ->> 'nation_name' from ${participantsWith('nation', key)}
    union ${nameOfTombstone('nation', key)}`,
  alliance: key => sql`
    select attacker_alliance_name as name from chancery_world.war where attacker_alliance_id = ${key}
    union select defender_alliance_name from chancery_world.war where defender_alliance_id = ${key}
    union select nation ->> 'alliance_name' from ${participantsWith('alliance', key)}
    union select champion ->> 'name' from chancery_world.era where champion ->> 'alliance_id' = ${key}
    union ${nameOfTombstone('alliance', key)}`,
}

/** Wars have the names at their declaration, and those of participants when they joined. */
async function rewriteWars(
  { db, loggedAt }: Batch,
  what: 'nation' | 'alliance',
  key: string,
  name: string,
): Promise<void> {
  await db.rows(
    what === 'nation'
      ? sql`
        update chancery_world.war set updated_at = ${loggedAt},
          attacker_nation_name = case when attacker_nation_id = ${key} then ${name} else attacker_nation_name end,
          defender_nation_name = case when defender_nation_id = ${key} then ${name} else defender_nation_name end
        where attacker_nation_id = ${key} or defender_nation_id = ${key}`
      : sql`
        update chancery_world.war set updated_at = ${loggedAt},
          attacker_alliance_name = case when attacker_alliance_id = ${key} then ${name} else attacker_alliance_name end,
          defender_alliance_name = case when defender_alliance_id = ${key} then ${name} else defender_alliance_name end
        where attacker_alliance_id = ${key} or defender_alliance_id = ${key}`,
  )
  await db.rows(sql`
    update chancery_world.war w set updated_at = ${loggedAt}, participants = (
      select jsonb_agg(case when nation ->> ${raw(`'${what}_id'`)} = ${key}
        then nation || jsonb_build_object(${raw(`'${what}_name'`)}, ${name}::text) else nation end order by number)
      from jsonb_array_elements(w.participants) with ordinality as t (nation, number))
    where ${joinedWars(what, key)}`)
}

interface ConflictSides {
  id: string
  sides: { name: string; alliances: { alliance_id: string }[] }[]
}

/** Sides of conflicts may be named after one of their alliances. */
export async function rewriteSides(
  { db }: Batch,
  { resource, key }: Replacement,
  previous: PreviousValues,
): Promise<void> {
  if (resource !== 'alliance') return
  const conflicts = await db.rows<ConflictSides>(sql`
    select id, sides from chancery_world.conflict
    where sides @> jsonb_build_array(jsonb_build_object('alliances', jsonb_build_array(jsonb_build_object('alliance_id', ${key}::text))))`)
  for (const { id, sides } of conflicts) {
    const after = sides.map(side => ({ ...side, name: previous.replaceIn(side.name) }))
    await db.rows(
      sql`update chancery_world.conflict set sides = ${JSON.stringify(after)}::jsonb where id = ${id}`,
    )
  }
}

interface LoggedEvent {
  seq: number
  type: string
  summary: string
  data: unknown
}

const write = raw(`
  update chancery_world.event e set summary = r.summary, data = r.data
  from json_to_recordset(`)

/**
 * Replaces an entity's texts in the event log; numbers, kinds and times stay. First the copies, whose replaced texts are added to
 * `previous`; then all previous texts in texts that people wrote. Returns the numbers of the changed events.
 */
export async function rewriteEvents(
  batch: Batch,
  replacement: Replacement,
  previous: PreviousValues,
): Promise<number[]> {
  const { eventKinds } = batch.contract
  const seqs = await affectedEvents(batch.db, batch.contract, replacement)
  const rewritten = new Set<number>()
  const pass = async (rewrite: (event: LoggedEvent) => LoggedEvent | Promise<LoggedEvent>) => {
    for (const chunk of chunksOf(seqs)) {
      const changed: LoggedEvent[] = []
      for (const event of await readEvents(batch, chunk)) {
        const after = await rewrite(event)
        if (after.data !== event.data) after.summary = summaryOf(eventKinds[event.type], after)
        if (after.summary !== event.summary || after.data !== event.data) changed.push(after)
      }
      await writeEvents(batch, changed)
      for (const { seq } of changed) rewritten.add(seq)
    }
  }
  await pass(async event => {
    const schema = eventKinds[event.type]?.data
    if (!schema) return event
    const { texts } = replacement
    const found = (field: string, text: string) => previous.add(text, texts[field])
    const data = 'nation_name' in texts ? await withNames(batch, schema, event.data) : event.data
    return { ...event, data: replaceCopies(schema, data, replacement, found) }
  })
  // Only after the first pass all previous texts are known.
  await pass(event => {
    const kind = eventKinds[event.type]
    const data = replaceWritten(kind?.data, event.data, text => previous.replaceIn(text))
    return { ...event, data, summary: kind?.summarize ? event.summary : previous.replaceIn(event.summary) }
  })
  return [...rewritten]
}

const summaryOf = (kind: EventKind | undefined, { data, summary }: LoggedEvent): string =>
  kind?.summarize ? kind.summarize(data) : summary

async function readEvents({ db }: Batch, seqs: number[]): Promise<LoggedEvent[]> {
  return db.rows<LoggedEvent>(
    sql`select seq, type, summary, data from chancery_world.event where seq = any(${seqs}) order by seq`,
  )
}

/** Version 0.1 logged launches with names in the summary alone. Adds the current names, so that the summary can be generated. */
async function withNames(batch: Batch, { properties = {} }: TextSchema, data: unknown): Promise<unknown> {
  const held = data as Record<string, unknown>
  const missing = Object.entries(properties).flatMap(([member, schema]) => {
    const origin = originOf(schema)
    const id = isCopyFrom(origin, 'nation') && !(member in held) ? held[origin.id] : undefined
    return typeof id === 'string' ? [{ member, id }] : []
  })
  if (missing.length === 0) return data
  const names = await batch.nationNames(missing.map(({ id }) => id))
  return { ...held, ...Object.fromEntries(missing.map(({ member, id }) => [member, names.get(id) ?? id])) }
}

async function writeEvents({ db }: Batch, events: LoggedEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = JSON.stringify(events.map(({ seq, summary, data }) => ({ seq, summary, data })))
  await db.rows(sql`${write}${rows}::json) as r (seq bigint, summary text, data json) where e.seq = r.seq`)
}

/** The numbers of all events that may contain texts of an entity, in order. */
export async function affectedEvents(
  db: Database,
  contract: Contract,
  { resource, key }: { resource: RedactableResource; key: string },
): Promise<number[]> {
  const rows = await db.rows<{ seq: number }>(
    sql`select seq from (${selections[resource](key, contract)}) affected order by seq`,
  )
  return rows.map(({ seq }) => seq)
}

const selections: Record<RedactableResource, (key: string, contract: Contract) => Sql> = {
  nation: key => sql`select seq from chancery_world.event_nation where nation_id = ${key}`,
  // Sides of a conflict may be named after an alliance; events of alliances that join it contain the name.
  alliance: key => sql`
    select seq from chancery_world.event_alliance where alliance_id = ${key}
    union
    select seq from chancery_world.event where type = 'conflict.joined' and conflict_id in (
      select e.conflict_id from chancery_world.event_alliance a join chancery_world.event e using (seq)
      where a.alliance_id = ${key} and a.type like 'conflict.%')`,
  war: key => sql`select seq from chancery_world.event where war_id = ${key}`,
  // Excludes kinds without texts: a conflict has an event for each of its wars and launches.
  conflict: (key, contract) => sql`
    select seq from chancery_world.event where conflict_id = ${key}
      and type <> all(${kindsWithoutTextsOf(contract, 'conflict')}::text[])`,
  era: (key, contract) => namingInData(key, contract, 'era'),
  news_item: (key, contract) => namingInData(key, contract, 'news_item'),
}

/** Kinds with neither copies from the resource nor texts that people wrote. */
const kindsWithoutTextsOf = ({ eventKinds }: Contract, resource: RedactableResource): string[] =>
  Object.entries(eventKinds)
    .filter(
      ([, { summarize, data }]) =>
        summarize !== undefined &&
        !originsIn(data).some(origin => origin === 'written' || isCopyFrom(origin, resource)),
    )
    .map(([type]) => type)

/** Events have no column for eras and news items: their ids are only in the data. */
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
