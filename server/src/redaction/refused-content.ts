import type { Batch } from '../store/batch.ts'
import { sql } from '../store/database.ts'

const noFacts =
  'its facts are kept no longer, because a later batch redacted something that it is about: send it again'
const noReason =
  'why is told no longer, because a later batch redacted something that it is about: try it again to see'

interface Refused {
  content: string | null
  refusals: { path: string; reason: string }[]
}

/** Refused batches that are about a thing, or hold one of its former texts, lose their facts, and say so. */
export async function dropContent({ db }: Batch, ids: string[], texts: string[]): Promise<void> {
  // As they stand in lines of JSON.
  const parts = [...ids.map(id => `"${id}"`), ...texts.map(text => JSON.stringify(text).slice(1, -1))]
  const candidates = await db.rows<{ id: string }>(sql`
    select b.id from chancery_secret.refused_batch b
    where exists (select from unnest(${parts}::text[]) as p (part)
      where strpos(b.content, p.part) > 0 or strpos(b.refusals::text, p.part) > 0)`)
  const isNamed = (value: string) => ids.includes(value) || texts.some(text => value.includes(text))
  for (const { id } of candidates) {
    const found = await db.first<Refused>(
      sql`select content, refusals from chancery_secret.refused_batch where id = ${id}`,
    )
    if (!found) continue
    if (found.content?.split('\n').some(line => lineHolds(line, isNamed)))
      await db.rows(sql`
        update chancery_secret.refused_batch set content = null, refusals = ${refusalOf(noFacts)}::jsonb where id = ${id}`)
    else if (found.refusals.some(({ path, reason }) => isNamed(path) || isNamed(reason)))
      await db.rows(sql`
        update chancery_secret.refused_batch set refusals = ${refusalOf(noReason)}::jsonb where id = ${id}`)
  }
}

const refusalOf = (reason: string) => JSON.stringify([{ line: 0, path: '', reason }])

const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/

/**
 * Whether a line says a text, rather than a word that facts are made of: a player whose name is `resource` must not take every batch
 * with it.
 */
function lineHolds(line: string, isNamed: (value: string) => boolean): boolean {
  let fact: unknown
  try {
    fact = JSON.parse(line)
  } catch {
    return isNamed(line)
  }
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') return !time.test(value) && isNamed(value)
    return typeof value === 'object' && value !== null && Object.values(value).some(holds)
  }
  if (typeof fact !== 'object' || fact === null) return holds(fact)
  const { op: _op, resource: _resource, ...said } = fact as Record<string, unknown>
  return holds(said)
}
