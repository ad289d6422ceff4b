import type { Event } from './cases.ts'

export type LoggedEvent = Event & { logged_at: string }

export interface Query {
  type?: string[] | undefined
  nation_id?: string[] | undefined
  alliance_id?: string[] | undefined
  war_id?: string | undefined
  since?: string | undefined
  until?: string | undefined
  after?: number | undefined
  page: number
  limit: number
}

/** Where a log ends, and the numbers before it that were lost. */
interface Bounds {
  last: number
  isLost: (seq: number) => boolean
}

/** A page of the log, by plain code over all of it. */
export function pageOf(
  log: LoggedEvent[],
  query: Query,
  { last, isLost }: Bounds = { last: log.length, isLost: () => false },
): { seqs: number[]; total: number } | 'cursor_expired' {
  const { type, nation_id, alliance_id, war_id, since, until, after, page, limit } = query
  if (after !== undefined && (after > last || isLost(after))) return 'cursor_expired'
  const isAbout = (wanted: string[] | undefined, ids: string[]) =>
    wanted === undefined || ids.some(id => wanted.includes(id))
  const found = log.filter(
    event =>
      (type === undefined ||
        type.some(word =>
          word.endsWith('.*') ? event.type.startsWith(word.slice(0, -1)) : event.type === word,
        )) &&
      isAbout(nation_id, event.nation_ids) &&
      isAbout(alliance_id, event.alliance_ids) &&
      (war_id === undefined || event.war_id === war_id) &&
      (since === undefined || Date.parse(event.logged_at) >= Date.parse(since)) &&
      (until === undefined || Date.parse(event.logged_at) < Date.parse(until)) &&
      (after === undefined || event.seq > after),
  )
  const ordered = after === undefined ? found.toReversed() : found
  const seqs = ordered.slice((page - 1) * limit, page * limit).map(({ seq }) => seq)
  return { seqs, total: found.length }
}

/** The query as a URL has it. */
export function searchOf(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.toString()
}
