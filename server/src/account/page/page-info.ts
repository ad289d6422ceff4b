import {
  accountOperations,
  bases,
  type Contract,
  currencyOf,
  defaultScopes,
  idPattern,
  type PageInfo,
  type Profile,
  readableSchema,
  type Scope,
  scopeNames,
  scopes,
} from '@chancery/contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { basePathOf } from '../../http/base-path.ts'
import type { AccountContext, Definers } from '../context.ts'
import { isDemo } from '../session/same-origin.ts'
import { logoPath } from './page.ts'

/** Settings of the page. */
export function pageRoutes({ open }: Definers, context: AccountContext): void {
  const pageInfo = createPageInfo(context)
  open(accountOperations.pageGet, async ({ req }) => ({ ...pageInfo(), is_demo: isDemo(context, req) }))
}

/** The part of the page's settings that does not depend on the request. */
function createPageInfo(parts: AccountContext): () => Omit<PageInfo, 'is_demo'> {
  const { contract, publicUrl, pageColor, pageLogo, webhooksAllowLocal } = parts
  const { name, url } = contract.profile
  const event_kinds = Object.entries(contract.eventKinds).map(([type, { description }]) => ({
    type,
    description,
    sample: sampleMessage(contract, type),
  }))
  return () => ({
    game: { name, url },
    color: pageColor,
    logo_url: pageLogo ? basePathOf(publicUrl()) + logoPath : null,
    api_url: publicUrl() + bases.canonical,
    docs_url: `${publicUrl()}/docs`,
    scopes: scopeNames.map(scope => ({
      name: scope,
      description: scopes[scope],
      is_private: !defaultScopes.includes(scope),
      attributes: attributesOf(contract, scope),
    })),
    default_scopes: [...defaultScopes],
    event_kinds,
    has_market: contract.profile.resources.length > 0,
    webhooks_allow_local: webhooksAllowLocal,
  })
}

/** The attributes of the profile that a scope discloses. */
const attributesOf = ({ resources }: Contract, scope: Scope): string[] =>
  [resources.nation, resources.alliance].flatMap(resource =>
    Object.entries(readableSchema(resource, 'owner').properties?.attributes?.properties ?? {}).flatMap(
      ([name, schema]) => (schema['x-scope'] === scope ? [name] : []),
    ),
  )

const occurredAt = '2026-05-20T10:00:00Z'

/** Realistic values by the name of a member, or by its parent's and its own. Used where the schema accepts them. */
const sampleValues = (profile: Profile): Record<string, unknown> => ({
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
  types: profile.treaty_types.slice(0, 1).map(({ key }) => key),
  kind: profile.battle_kinds[0]?.key,
  news_id: 'news_51',
  title: 'The straits are open again',
  category: profile.news_categories[0]?.key,
  resource: profile.resources[0]?.key,
  currency: profile.currency.key,
  price: Number((12.5).toFixed(currencyOf(profile).price_decimals)),
  reference_price: Number((11.2).toFixed(currencyOf(profile).price_decimals)),
  change_percent: 11.6071,
  signed_at: occurredAt,
  expires_at: null,
  // A redacted record: the first resource in the schema is a nation.
  id: 'n42',
  fields: ['nation_name', 'motto'],
})

/** The keywords of a schema that a sample is made from. */
interface SampleKeywords {
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, TSchema>
  items?: TSchema
  minItems?: number
  minimum?: number
  format?: string
}

/** A value that the schema accepts. */
function sampleOf(schema: TSchema, samples: Record<string, unknown>, path: readonly string[]): unknown {
  for (const name of [path.slice(-2).join('.'), path.at(-1) ?? '']) {
    if (name in samples && Value.Check(schema, samples[name])) return samples[name]
  }
  const { type, enum: values, properties, items, minItems = 1, minimum = 1, format }: SampleKeywords = schema
  if (values) return values[0]
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, sampleOf(member, samples, [...path, name])]),
    )
  }
  if (items) return Array.from({ length: minItems }, () => sampleOf(items, samples, path))
  const [first] = [type].flat()
  if (first === 'integer' || first === 'number') return Math.max(minimum, 1)
  if (first === 'boolean') return true
  return format === 'date-time' ? occurredAt : 'example'
}

/** A sample webhook message of an event type. */
export function sampleMessage({ eventKinds, profile }: Contract, type: string): object {
  const kind = eventKinds[type]
  if (!kind) throw new Error(`${type} is not an event type`)
  const data = sampleOf(kind.data, sampleValues(profile), [])
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

const idForm = new RegExp(idPattern)

/** The distinct ids in all members whose name has this ending. */
function idsIn(data: unknown, ending: string): string[] {
  if (typeof data !== 'object' || data === null) return []
  const found = Object.entries(data).flatMap(([name, value]) =>
    name.endsWith(ending) && typeof value === 'string' && idForm.test(value) ? [value] : idsIn(value, ending),
  )
  return [...new Set(found)]
}
