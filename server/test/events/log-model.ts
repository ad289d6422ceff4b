import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withConnection } from '../support/database-url.ts'
import type { TestServer } from '../support/test-server.ts'

export interface Event {
  id: string
  seq: number
  type: string
  occurred_at: string
  summary: string
  nation_ids: string[]
  alliance_ids: string[]
  war_id: string | null
  conflict_id: string | null
  data: Record<string, unknown>
}

export type LoggedEvent = Event & { logged_at: string; kind_number: number }

export interface Filter {
  type?: string[] | undefined
  nation_id?: string[] | undefined
  alliance_id?: string[] | undefined
  war_id?: string | undefined
}

export interface Query extends Filter {
  since?: string | undefined
  until?: string | undefined
  after?: number | undefined
  page: number
  limit: number
}

/** The last event number, and which numbers before it were lost in a restore. */
interface Bounds {
  last: number
  isLost: (seq: number) => boolean
}

/** The whole log in the database, oldest first. */
export const readLog = (databaseUrl: string): Promise<LoggedEvent[]> =>
  withConnection(databaseUrl, async client => {
    const { rows } = await client.query<LoggedEvent>(`
      select e.seq::float8, e.type, e.nation_ids, e.alliance_ids, e.war_id, e.kind_number::int,
        to_char(l.logged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as logged_at
      from chancery_world.event e join chancery_world.event_log_span l on e.seq between l.first_seq and l.last_seq
      order by e.seq`)
    return rows
  })

/** Whether an event matches a filter. */
export function isSelected({ type, nation_id, alliance_id, war_id }: Filter, event: Event): boolean {
  const isAbout = (wanted: string[] | undefined, ids: string[]) =>
    wanted === undefined || ids.some(id => wanted.includes(id))
  const isOfType = (type: string) =>
    type.endsWith('.*') ? event.type.startsWith(type.slice(0, -1)) : event.type === type
  return (
    (type === undefined || type.some(isOfType)) &&
    isAbout(nation_id, event.nation_ids) &&
    isAbout(alliance_id, event.alliance_ids) &&
    (war_id === undefined || event.war_id === war_id)
  )
}

/** The page that `/events` must return, from a filter over the whole log. */
export function pageOf(
  log: LoggedEvent[],
  query: Query,
  { last, isLost }: Bounds = { last: log.length, isLost: () => false },
): { seqs: number[]; total: number } | 'cursor_expired' {
  const { since, until, after, page, limit } = query
  if (after !== undefined && (after > last || isLost(after))) return 'cursor_expired'
  const found = log.filter(
    event =>
      isSelected(query, event) &&
      (since === undefined || Date.parse(event.logged_at) >= Date.parse(since)) &&
      (until === undefined || Date.parse(event.logged_at) < Date.parse(until)) &&
      (after === undefined || event.seq > after),
  )
  const ordered = after === undefined ? found.toReversed() : found
  const seqs = ordered.slice((page - 1) * limit, page * limit).map(({ seq }) => seq)
  return { seqs, total: found.length }
}

/** A query as the query string of a URL. */
export function searchOf(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.toString()
}

export const readPage = (chancery: TestServer, query: Query) =>
  chancery.read<{ data: Event[]; pagination: { total: number; pages: number } }>(`/events?${searchOf(query)}`)

/** Undefined in three of four draws. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary, weight: 1 })

/** Random queries of `/events` return what `pageOf` returns. */
export async function assertPages(
  chancery: TestServer,
  log: LoggedEvent[],
  draws: {
    types: string[]
    /** Every query names some of these. Default: rarely some of all. */
    alliances?: string[]
    after: fc.Arbitrary<number | undefined>
    bounds?: Bounds
    numRuns: number
  },
): Promise<void> {
  const ids = (pick: (event: LoggedEvent) => string[]) => [...new Set(log.flatMap(pick)), 'none']
  const some = (values: string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
  const time = fc
    .tuple(fc.constantFrom(...new Set(log.map(({ logged_at }) => logged_at))), fc.constantFrom(-1, 0, 1))
    .map(([logged, step]) => new Date(Date.parse(logged) + step).toISOString())
  const queries: fc.Arbitrary<Query> = fc.record({
    type: rarely(some(draws.types)),
    nation_id: rarely(some(ids(event => event.nation_ids))),
    alliance_id: draws.alliances ? some(draws.alliances) : rarely(some(ids(event => event.alliance_ids))),
    war_id: rarely(fc.constantFrom(...ids(event => (event.war_id === null ? [] : [event.war_id])))),
    since: rarely(time),
    until: rarely(time),
    after: draws.after,
    page: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 500 })),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  const seen = { found: 0, expired: 0 }
  const property = fc.asyncProperty(queries, async query => {
    const expected = pageOf(log, query, draws.bounds)
    if (expected === 'cursor_expired') {
      seen.expired += 1
      const response = await chancery.get(`/events?${searchOf(query)}`)
      assert.equal(response.status, 410)
      assert.match(await response.text(), /cursor_expired/)
      return
    }
    const { data, pagination } = await readPage(chancery, query)
    assert.deepEqual({ seqs: data.map(({ seq }) => seq), total: pagination.total }, expected)
    assert.equal(pagination.pages, Math.ceil(expected.total / query.limit))
    seen.found += data.length
  })
  await fc.assert(property, { numRuns: draws.numRuns })
  assert.ok(seen.found > 0, JSON.stringify(seen))
}

/** Every event after a number that `/events` selects, oldest first. */
export async function readEvents({ url }: { url: string }, query = '', first = 0): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const after = events.at(-1)?.seq ?? first
    const response = await fetch(`${url}/api/v1/events?after=${after}&limit=100&${query}`)
    const text = await response.text()
    assert.equal(response.status, 200, text)
    const body = JSON.parse(text) as { data: Event[] }
    assert.equal(JSON.stringify(body), text, 'parsing and serializing changes no byte')
    if (body.data.length === 0) return events
    events.push(...body.data)
  }
}
