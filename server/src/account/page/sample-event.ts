import type { Contract, Profile } from '@chancery/contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

const occurredAt = '2026-05-20T10:00:00Z'

/** Values that tell a story, by the member's name, or by its parent's and its own. They are used where the schema takes them. */
const storyOf = (profile: Profile): Record<string, unknown> => ({
  nation_id: 'n42',
  nation_name: 'Valdoria',
  alliance_id: 'a7',
  alliance_name: 'Northern Pact',
  name: 'Northern Pact',
  tag: 'NP',
  'defender.nation_id': 'n9',
  'defender.nation_name': 'Karsk',
  'defender.alliance_id': null,
  'defender.alliance_name': null,
  attacker_nation_id: 'n42',
  attacker_nation_name: 'Valdoria',
  defender_nation_id: 'n9',
  defender_nation_name: 'Karsk',
  alliances: [
    { alliance_id: 'a3', name: 'Free Ports', tag: 'FP' },
    { alliance_id: 'a7', name: 'Northern Pact', tag: 'NP' },
  ],
  old_name: 'Northern League',
  old_tag: 'NL',
  rank: profile.ranks[0]?.key,
  old_rank: profile.ranks.at(-1)?.key,
  war_id: 'w310',
  battle_id: 'b77',
  treaty_id: 't12',
  conflict_id: 'c3',
  'conflict.name': 'The War of the Straits',
  era_id: 'e3',
  'era.name': 'The Third Era',
  side: 'Coalition',
  cause: 'A blockade of the northern straits.',
  reason: 'Return the northern province.',
  'war.type': profile.war_types[0]?.key,
  type: profile.treaty_types[0]?.key,
  kind: profile.battle_kinds[0]?.key,
  news_id: 'news_51',
  title: 'The straits are open again',
  category: profile.news_categories[0]?.key,
  resource: profile.resources[0]?.key,
  currency: profile.currency.key,
  price: 12.5,
  reference_price: 11.2,
  change_percent: 11.6071,
  signed_at: occurredAt,
  expires_at: null,
  // Of what was redacted: the first kind of thing is a nation.
  id: 'n42',
  fields: ['nation_name', 'motto'],
})

/** What a schema says of itself, as far as a sample is made from it. */
interface Described {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, TSchema>
  items?: TSchema
  minItems?: number
  minimum?: number
  format?: string
}

/** A value that a schema takes. */
function sampleOf(schema: TSchema, story: Record<string, unknown>, path: readonly string[]): unknown {
  for (const name of [path.slice(-2).join('.'), path.at(-1) ?? '']) {
    if (name in story && Value.Check(schema, story[name])) return story[name]
  }
  const { type, enum: words, properties, items, minItems = 1, minimum = 1, format }: Described = schema
  if (words) return words[0]
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, sampleOf(member, story, [...path, name])]),
    )
  }
  if (items) return Array.from({ length: minItems }, () => sampleOf(items, story, path))
  const [first] = [type].flat()
  if (first === 'integer' || first === 'number') return Math.max(minimum, 1)
  if (first === 'boolean') return true
  return format === 'date-time' ? occurredAt : 'example'
}

/** The message that a webhook carries of an event of this kind, as an example. */
export function sampleMessage({ eventKinds, profile }: Contract, type: string): object {
  const kind = eventKinds[type]
  if (!kind) throw new Error(`${type} is no kind of event`)
  const data = sampleOf(kind.data, storyOf(profile), [])
  const event = {
    id: 'evt_1042',
    seq: 1042,
    type,
    occurred_at: occurredAt,
    summary: kind.summarize?.(data) ?? kind.description,
    nation_ids: type === 'record.redacted' ? ['n42'] : idsIn(data, 'nation_id'),
    alliance_ids: idsIn(data, 'alliance_id'),
    war_id: idsIn(data, 'war_id')[0] ?? null,
    conflict_id: idsIn(data, 'conflict_id')[0] ?? null,
    data,
  }
  return { type, timestamp: occurredAt, data: event }
}

const idForm = /^[A-Za-z0-9_-]{1,64}$/

/** The ids in all members whose name ends so, each once. */
function idsIn(data: unknown, ending: string): string[] {
  if (typeof data !== 'object' || data === null) return []
  const found = Object.entries(data).flatMap(([name, value]) =>
    name.endsWith(ending) && typeof value === 'string' && idForm.test(value) ? [value] : idsIn(value, ending),
  )
  return [...new Set(found)]
}
