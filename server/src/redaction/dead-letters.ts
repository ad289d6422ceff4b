import type { Batch } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'

const noFacts =
  'its facts were deleted, because a later batch redacted an entity in them: send the batch again'
const noReason =
  'the reason was deleted, because a later batch redacted an entity in it: retry the batch to see it'

interface DeadLetter {
  content: string | null
  rejections: { path: string; reason: string }[]
}

/** The entities and previous texts that dead letters are searched for. */
export interface DeadLetterMatch {
  ids: string[]
  /** Previous texts, and the members that contain such texts: in other members they are ordinary words. */
  texts: string[]
  members: ReadonlySet<string>
}

/** Deletes the facts of rejected batches that name one of the entities or contain one of its previous texts, and states it in their rejections. */
export async function redactDeadLetters(
  { db }: Batch,
  { ids, texts, members }: DeadLetterMatch,
): Promise<void> {
  // As they are written in lines of JSON.
  const parts = [...ids.map(id => `"${id}"`), ...texts.map(text => JSON.stringify(text).slice(1, -1))]
  const candidates = await db.rows<{ id: string }>(sql`
    select b.id from chancery_secret.dead_letter b
    where exists (select from unnest(${parts}::text[]) as p (part)
      where strpos(b.content, p.part) > 0 or strpos(b.rejections::text, p.part) > 0)`)
  const isInText = (value: string) => ids.includes(value) || texts.some(text => value.includes(text))
  const isNamed = (value: string, member: string) =>
    ids.includes(value) || (members.has(member) && texts.includes(value))
  const holds = (line: string) => {
    const fact = factIn(line)
    return fact === undefined ? isInText(line) : containsNamed(fact, isNamed)
  }
  for (const { id } of candidates) {
    const found = await db.first<DeadLetter>(
      sql`select content, rejections from chancery_secret.dead_letter where id = ${id}`,
    )
    if (!found) continue
    if (found.content?.split('\n').some(holds))
      await db.rows(sql`
        update chancery_secret.dead_letter set content = null, rejections = ${rejectionOf(noFacts)}::jsonb where id = ${id}`)
    else if (found.rejections.some(({ path, reason }) => isInText(path) || isInText(reason)))
      await db.rows(sql`
        update chancery_secret.dead_letter set rejections = ${rejectionOf(noReason)}::jsonb where id = ${id}`)
  }
}

const rejectionOf = (reason: string) => JSON.stringify([{ line: 0, path: '', reason }])

const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

/** The fact in a line; undefined if it is not JSON, so that its names cannot be distinguished from other words. */
function factIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Whether a value of a fact is an id or a text, rather than a keyword: the erasure of a player named `nation` must not match every batch. */
function containsNamed(fact: unknown, isNamed: (value: string, member: string) => boolean): boolean {
  const holds = (value: unknown, member: string): boolean => {
    if (typeof value === 'string') return !time.test(value) && isNamed(value, member)
    if (Array.isArray(value)) return value.some(item => holds(item, member))
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([key, held]) => holds(held, key))
    )
  }
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return holds(fact, '')
  const { op: _op, resource: _resource, ...values } = fact as Record<string, unknown>
  return holds(values, '')
}
