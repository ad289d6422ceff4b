import { createHash } from 'node:crypto'
import type { CommitFact } from '@chancery/contract'
import { type Database, sql } from '../store/database.ts'
import { BatchRejectedError } from './batch.ts'
import {
  type DroppedDeadLetter,
  deleteDeadLetters,
  makeRoom,
  recordDropped,
  rejectionsJson,
} from './dead-letters.ts'
import { covers, readFact, type SetAsideFact } from './set-aside.ts'

/**
 * Stores the facts that were left out of an applied batch as dead letters of one fact each, in its transaction. A fact that is set aside
 * again, unchanged, updates its dead letter. Older ones about the same entity of which nothing would be left are deleted.
 * @throws {BatchRejectedError} where there is no room: the whole batch is rejected then, and nothing is lost.
 */
export async function storeSetAside(
  db: Database,
  facts: readonly SetAsideFact[],
  { batch, announce = true, feed }: Pick<CommitFact, 'batch' | 'announce' | 'feed'>,
): Promise<DroppedDeadLetter[]> {
  const name = feed?.name ?? null
  const newest = new Map(
    withoutReplaced(facts).map(fact => [idOf(fact, { feed: name, batch }), { ...fact, json: jsonOf(fact) }]),
  )
  if (newest.size === 0) return []
  await deleteReplaced(db, newest)
  const stored = [...newest.entries()].map(([id, fact]) => ({ id, ...fact }))
  const { holds, dropped } = await makeRoom(db, {
    ids: stored.map(({ id }) => id),
    feed: name,
    recordBytes: sum(stored.map(({ json }) => Buffer.byteLength(json))),
    contentBytes: sum(stored.map(({ text }) => bytesOf(text))),
  })
  if (holds !== 'all')
    throw new BatchRejectedError([
      { line: 0, path: '/refused', reason: 'the dead-letter store has no room for the facts to set aside' },
    ])
  await recordDropped(db, dropped)
  await db.rows(sql`
    insert into chancery_secret.dead_letter (id, feed, first_rejected_at, last_rejected_at, is_announced, is_set_aside, facts, bytes,
      content, rejections, superseded_by)
    select id, ${name}, statement_timestamp() + place * interval '1 microsecond', statement_timestamp() + place * interval '1 microsecond', ${announce}, true, 1, bytes, content, rejections::jsonb,
      case when is_superseded then ${batch} end
    from unnest(${stored.map(({ id }) => id)}::text[], ${stored.map(({ text }) => bytesOf(text))}::bigint[],
      ${stored.map(({ text }) => `${text}\n`)}::text[], ${stored.map(({ json }) => json)}::text[],
      ${stored.map(({ isSuperseded }) => isSuperseded)}::boolean[]) with ordinality
      as fact (id, bytes, content, rejections, is_superseded, place) order by place
    on conflict (id) do update set last_rejected_at = excluded.last_rejected_at, attempts = dead_letter.attempts + 1,
      rejections = excluded.rejections, superseded_by = excluded.superseded_by, content = excluded.content,
      is_announced = excluded.is_announced`)
  const named = stored.flatMap(({ id, entity }) => (entity ? [{ id, entity }] : []))
  await db.rows(sql`
    insert into chancery_secret.dead_letter_entity (resource, id, batch)
    select * from unnest(${named.map(({ entity }) => entity.resource)}::text[], ${named.map(({ entity }) => entity.id)}::text[],
      ${named.map(({ id }) => id)}::text[]) on conflict do nothing`)
  return dropped
}

/** Without those of which later ones state everything. */
const withoutReplaced = (facts: readonly SetAsideFact[]): SetAsideFact[] => {
  const later = new Map<string, SetAsideFact[]>()
  return facts
    .toReversed()
    .filter(fact => {
      if (fact.isReplaced) return false
      if (!fact.entity) return true
      const key = `${fact.entity.resource} ${fact.entity.id}`
      const others = later.get(key) ?? []
      if (others.some(newer => covers(newer, fact))) return false
      later.set(key, [...others, fact])
      return true
    })
    .toReversed()
}

/** Deletes the dead letters whose facts a retry has applied, and updates the others. `ids`: by line. */
export async function finishRetry(
  db: Database,
  leftOut: readonly SetAsideFact[],
  { batch, ids }: { batch: string; ids: readonly string[] },
): Promise<DroppedDeadLetter[]> {
  const waiting = new Map(leftOut.map(fact => [ids[fact.line - 1], fact]))
  await deleteDeadLetters(
    db,
    ids.filter(id => waiting.get(id)?.isReplaced ?? true),
  )
  const superseded = ids.filter(id => waiting.get(id)?.isSuperseded)
  if (superseded.length > 0)
    await db.rows(
      sql`update chancery_secret.dead_letter set superseded_by = ${batch} where id = any(${superseded})`,
    )
  return []
}

/** Deletes older facts that were set aside about the same entities, and of which nothing would be left. */
async function deleteReplaced(db: Database, facts: ReadonlyMap<string, SetAsideFact>): Promise<void> {
  const entities = [...facts.values()].flatMap(({ entity }) => entity ?? [])
  const older = await db.rows<{ id: string; resource: string; entity: string; content: string | null }>(sql`
    select d.id, e.resource, e.id as entity, d.content from chancery_secret.dead_letter_entity e
    join chancery_secret.dead_letter d on d.id = e.batch
    join unnest(${entities.map(({ resource }) => resource)}::text[], ${entities.map(({ id }) => id)}::text[]) as n (resource, id)
      on n.resource = e.resource and n.id = e.id
    where d.is_set_aside and d.id <> all(${[...facts.keys()]})`)
  const byEntity = Map.groupBy([...facts.values()], ({ entity }) => `${entity?.resource} ${entity?.id}`)
  const replaced = older.filter(({ resource, entity, content }) => {
    const fact = readFact(content ?? '')
    return !fact || (byEntity.get(`${resource} ${entity}`) ?? []).some(newer => covers(newer, fact))
  })
  await deleteDeadLetters(
    db,
    replaced.map(({ id }) => id),
  )
}

/** The same fact of the same feed has the same id; of two events that are the same, both are added to the log. */
function idOf(
  { line, text, statement }: SetAsideFact,
  { feed, batch }: { feed: string | null; batch: string },
) {
  const place = statement ? '' : `${batch} ${line}`
  const hash = createHash('sha256').update([feed ?? '', place, text.trim()].join('\n'))
  return `set-aside:${hash.digest('hex').slice(0, 32)}`
}

/** The dead letter has one line. */
const jsonOf = ({ rejections }: Pick<SetAsideFact, 'rejections'>): string =>
  rejectionsJson(rejections.map(rejection => ({ ...rejection, line: 1 })))

const bytesOf = (text: string) => Buffer.byteLength(text) + 1
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** A fact that was set aside, to be retried. */
export interface WaitingFact {
  id: string
  is_announced: boolean
  content: string
  /** When it was set aside, exactly. */
  since: string
}

const isWaiting = sql`is_set_aside and superseded_by is null and content is not null`

export const hasWaiting = async (db: Database): Promise<boolean> =>
  (await db.first(sql`select from chancery_secret.dead_letter where ${isWaiting} limit 1`)) !== undefined

/** Facts that were set aside and not superseded, in the order in which they were, after that of `after`. */
export const listWaiting = (
  db: Database,
  { after, limit }: { after: WaitingFact | undefined; limit: number },
): Promise<WaitingFact[]> =>
  db.rows<WaitingFact>(sql`
    select id, is_announced, content, first_rejected_at::text as since from chancery_secret.dead_letter
    where ${isWaiting} and ${after ? sql`(first_rejected_at, id) > (${after.since}::timestamptz, ${after.id})` : sql`true`}
    order by first_rejected_at, id limit ${limit}`)

/** Locks these facts while they are retried. false if one was dropped, applied, or its text deleted since it was read. */
export async function lockWaiting(db: Database, ids: readonly string[]): Promise<boolean> {
  const locked = await db.rows(sql`
    select id from chancery_secret.dead_letter where id = any(${[...ids]}) and content is not null for update`)
  return locked.length === ids.length
}

/** Records why facts that were retried still do not fit, where the reason is another one now. */
export async function recordReasons(
  db: Database,
  facts: readonly (Pick<SetAsideFact, 'rejections'> & { id: string })[],
): Promise<void> {
  if (facts.length === 0) return
  await db.rows(sql`
    update chancery_secret.dead_letter d set rejections = n.rejections::jsonb
    from unnest(${facts.map(({ id }) => id)}::text[], ${facts.map(jsonOf)}::text[]) as n (id, rejections)
    where d.id = n.id and d.rejections <> n.rejections::jsonb`)
}
