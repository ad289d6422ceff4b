import type { Batch } from '../ingest/batch.ts'
import { sql } from '../store/database.ts'

const noFacts =
  'its facts are kept no longer, because a later batch redacted something that it is about: send it again'
const noReason =
  'why is told no longer, because a later batch redacted something that it is about: try it again to see'

interface Refused {
  content: string | null
  refusals: { path: string; reason: string }[]
}

/** Whose facts are not kept, and what they were called. */
export interface DeadLetterMatch {
  ids: string[]
  /** Former texts, and the members that hold such texts: elsewhere they are words like any others. */
  texts: string[]
  members: ReadonlySet<string>
}

/** Refused batches that are about a thing, or say one of its former texts as such, lose their facts, and say so. */
export async function redactDeadLetters(
  { db }: Batch,
  { ids, texts, members }: DeadLetterMatch,
): Promise<void> {
  // As they stand in lines of JSON.
  const parts = [...ids.map(id => `"${id}"`), ...texts.map(text => JSON.stringify(text).slice(1, -1))]
  const candidates = await db.rows<{ id: string }>(sql`
    select b.id from chancery_secret.refused_batch b
    where exists (select from unnest(${parts}::text[]) as p (part)
      where strpos(b.content, p.part) > 0 or strpos(b.refusals::text, p.part) > 0)`)
  const isSaid = (value: string) => ids.includes(value) || texts.some(text => value.includes(text))
  const isNamed = (value: string, member: string) =>
    ids.includes(value) || (members.has(member) && texts.includes(value))
  const holds = (line: string) => {
    const fact = factIn(line)
    return fact === undefined ? isSaid(line) : saysOne(fact, isNamed)
  }
  for (const { id } of candidates) {
    const found = await db.first<Refused>(
      sql`select content, refusals from chancery_secret.refused_batch where id = ${id}`,
    )
    if (!found) continue
    if (found.content?.split('\n').some(holds))
      await db.rows(sql`
        update chancery_secret.refused_batch set content = null, refusals = ${refusalOf(noFacts)}::jsonb where id = ${id}`)
    else if (found.refusals.some(({ path, reason }) => isSaid(path) || isSaid(reason)))
      await db.rows(sql`
        update chancery_secret.refused_batch set refusals = ${refusalOf(noReason)}::jsonb where id = ${id}`)
  }
}

const refusalOf = (reason: string) => JSON.stringify([{ line: 0, path: '', reason }])

const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

/** What a line says; undefined where it is no JSON: then nobody knows which of its words are names. */
function factIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Whether a fact says an id or a text, rather than a word that facts are made of: a player whose name is `resource` must not take
 * every batch with it.
 */
function saysOne(fact: unknown, isNamed: (value: string, member: string) => boolean): boolean {
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
  const { op: _op, resource: _resource, ...said } = fact as Record<string, unknown>
  return holds(said, '')
}
