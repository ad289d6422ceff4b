import { type DisabledReason, webhooks } from '@chancery/contract'
import { minute } from '../clock.ts'
import type { EndpointRecord } from '../door/endpoint-record.ts'

const reasons: Record<DisabledReason, string> = {
  owner: 'on request',
  failing: `failed ${webhooks.failingDays} days`,
  gone: 'answered 410',
  player_suspended: 'suspended',
}
const reasonWords = new Map<string, string>(Object.entries(reasons))

/** Why it is switched off, in a few words. */
export const reasonText = ({ disabled_reason: reason }: EndpointRecord): string =>
  reasonWords.get(reason ?? '') ?? reason ?? 'nobody says why'

/** `active`, `unconfirmed`, `off: answered 410`, or since when it fails and how much of its patience is used up. */
export function stateText(endpoint: EndpointRecord, nowMs: number): string {
  const { status, failing_since: since, switches_off_at: until } = endpoint
  if (status === 'disabled') return `off: ${reasonText(endpoint)}`
  if (status !== 'active' || since === null) return status
  return `failing since ${minute(since)}${until === null ? '' : `, ${percentOf(since, until, nowMs)} %`}`
}

/** Below 100: it is not off yet, whatever the clocks say. */
function percentOf(since: string, until: string, nowMs: number): number {
  const share = (nowMs - Date.parse(since)) / (Date.parse(until) - Date.parse(since))
  return Math.floor(Math.min(Math.max(share, 0), 0.99) * 100)
}

/** The filter: `war.*,battle.fought; nations n1,n2`. */
export const hearsText = (endpoint: EndpointRecord): string => filterText(endpoint, words => words.join(','))

/** The filter in short: `war.* +1; nations n1 +1`. */
export const hearsInShort = (endpoint: EndpointRecord): string =>
  filterText(endpoint, ([first = '', ...rest]) => (rest.length === 0 ? first : `${first} +${rest.length}`))

function filterText(
  { types, nation_ids, alliance_ids }: EndpointRecord,
  write: (words: string[]) => string,
): string {
  const conditions = [
    ...(types ? [write(types)] : []),
    ...(nation_ids ? [`nations ${write(nation_ids)}`] : []),
    ...(alliance_ids ? [`alliances ${write(alliance_ids)}`] : []),
  ]
  return conditions.length === 0 ? 'all' : conditions.join('; ')
}
