import type { Profile, ProfileChange, ProfilePart } from '@chancery/contract'
import { type Database, join, raw, type Sql, sql } from '../store/database.ts'

/** How many stored rows of one kind use a key of the profile. */
export interface StoredUse {
  count: number
  /** One of them, and several. */
  nouns: readonly [one: string, many: string]
}

interface UsageQuery {
  nouns: StoredUse['nouns']
  /** `from` and `where` of the rows that are counted. */
  rows: Sql
}

/** The stored uses of the key of a change; of a list that was closed, of any key that is not in it. Acts as the ingest role. */
export async function storedUses(db: Database, change: ProfileChange, after: Profile): Promise<StoredUse[]> {
  const uses: StoredUse[] = []
  for (const { nouns, rows } of usageQueries[change.part](change, after)) {
    const row = await db.first<{ count: number }>(sql`select count(*) as count ${rows}`)
    if (row && row.count > 0) uses.push({ count: row.count, nouns })
  }
  return uses
}

const nations = ['nation', 'nations'] as const
const alliances = ['alliance', 'alliances'] as const
const wars = ['war', 'wars'] as const
const battles = ['battle', 'battles'] as const
const prices = ['market price', 'market prices'] as const
const events = ['event of the log', 'events of the log'] as const

const keptEvents =
  '(select * from chancery_world.event where seq >= (select first_seq from chancery_world.pulse)) event'

/** A text column with a key of a list. */
const column =
  (nouns: StoredUse['nouns'], table: string, name: string) =>
  ({ key, kind }: ProfileChange, allowed: readonly string[]): UsageQuery => ({
    nouns,
    rows:
      kind === 'closed'
        ? sql`from ${raw(table)} where ${raw(name)} <> all(${allowed})`
        : sql`from ${raw(table)} where ${raw(name)} = ${key}`,
  })

const keysOf = (words: readonly { key: string }[]) => words.map(word => word.key)

const ofList =
  (
    part: keyof Profile & ProfilePart,
    question: (change: ProfileChange, allowed: readonly string[]) => UsageQuery,
  ) =>
  (change: ProfileChange, after: Profile): UsageQuery[] => [
    question(change, keysOf(after[part] as { key: string }[])),
  ]

/** A count of 0 is no use; a missing key counts as 0. */
const holds = (counts: string, key: string): Sql => sql`(${raw(counts)} ->> ${key})::numeric > 0`

/** Whether a number has more decimals than the currency is left with. */
const hasMoreDecimals = (number: string, { what }: ProfileChange): Sql =>
  sql`scale(trim_scale((${raw(number)})::numeric)) > ${Number(what?.to)}::integer`

const anyHasMoreDecimals = (numbers: string[], change: ProfileChange): Sql =>
  join(
    numbers.map(number => hasMoreDecimals(number, change)),
    ' or ',
  )

function currencyQueries(change: ProfileChange): UsageQuery[] {
  switch (change.what?.name) {
    case 'price_decimals':
      return [
        {
          nouns: prices,
          rows: sql`
            from chancery_world.market_price
            where ${anyHasMoreDecimals(['price', 'best_bid', 'best_ask', 'high_24h', 'low_24h', 'reference_price'], change)}`,
        },
        {
          nouns: events,
          rows: sql`
            from ${raw(keptEvents)} where type = 'market.price_moved'
              and (${anyHasMoreDecimals(["data ->> 'price'", "data ->> 'reference_price'"], change)})`,
        },
      ]
    case 'decimals':
      return [
        {
          nouns: nations,
          rows: sql`from chancery_secret.nation_private where ${hasMoreDecimals("economy ->> 'credits'", change)}`,
        },
        {
          nouns: alliances,
          rows: sql`from chancery_secret.alliance_private where ${hasMoreDecimals("treasury ->> 'credits'", change)}`,
        },
        {
          nouns: prices,
          rows: sql`from chancery_world.market_price where ${hasMoreDecimals('traded_value_24h', change)}`,
        },
      ]
    default:
      return [column(prices, 'chancery_world.market_price', 'currency')(change, [])]
  }
}

const unitQueries = ({ key }: ProfileChange): UsageQuery[] => [
  {
    nouns: nations,
    rows: sql`
      from chancery_secret.nation_private
      where ${holds("military -> 'units'", key)} or ${holds("military -> 'reserves'", key)}
        or ${holds("military -> 'strategic'", key)}`,
  },
  {
    nouns: battles,
    rows: sql`
      from chancery_world.battle
      where ${holds("losses -> 'attacker'", key)} or ${holds("losses -> 'defender'", key)}`,
  },
  {
    nouns: events,
    rows: sql`
      from ${raw(keptEvents)}
      where (type like 'strategic_weapon.%' and data ->> 'weapon' = ${key})
        or (type = 'battle.fought' and (${holds("data -> 'losses' -> 'attacker'", key)}
          or ${holds("data -> 'losses' -> 'defender'", key)}))`,
  },
]

const resourceQueries = (change: ProfileChange, after: Profile): UsageQuery[] => {
  const traded = column(prices, 'chancery_world.market_price', 'resource')(change, keysOf(after.resources))
  return change.kind === 'closed' ? [traded] : [...stocksOf(change), traded]
}

const stocksOf = ({ key }: ProfileChange): UsageQuery[] => [
  {
    nouns: nations,
    rows: sql`from chancery_secret.nation_private where ${holds("economy -> 'resources'", key)}`,
  },
  {
    nouns: alliances,
    rows: sql`from chancery_secret.alliance_private where ${holds("treasury -> 'resources'", key)}`,
  },
]

const hasValue = (name: string, key: string): Sql => sql`jsonb_typeof(${raw(name)} -> ${key}) <> 'null'`

const attributeQueries =
  (owner: 'nation' | 'alliance', nouns: StoredUse['nouns']) =>
  ({ key }: ProfileChange): UsageQuery[] => [
    {
      nouns,
      rows: sql`
        from ${raw(`chancery_world.${owner}`)} t
        left join ${raw(`chancery_secret.${owner}_private`)} p on p.${raw(`${owner}_id`)} = t.id
        where ${hasValue('t.attributes', key)} or ${hasValue('p.attributes', key)}
          or ${hasValue('p.admin_attributes', key)}`,
    },
  ]

const usageQueries: Record<ProfilePart, (change: ProfileChange, after: Profile) => UsageQuery[]> = {
  game: () => [],
  currency: currencyQueries,
  units: unitQueries,
  resources: resourceQueries,
  ranks: ofList('ranks', column(['member', 'members'], 'chancery_world.alliance_member', 'rank')),
  governments: ofList('governments', column(nations, 'chancery_world.nation', 'government')),
  continents: ofList('continents', column(nations, 'chancery_world.nation', 'continent')),
  war_types: ofList('war_types', column(wars, 'chancery_world.war', 'type')),
  nation_statuses: change => [column(nations, 'chancery_world.nation', 'game_status')(change, [])],
  war_outcomes: change => [column(wars, 'chancery_world.war', 'game_outcome')(change, [])],
  battle_kinds: ofList('battle_kinds', column(battles, 'chancery_world.battle', 'kind')),
  treaty_types: ofList('treaty_types', ({ key, kind }, allowed) => ({
    nouns: ['treaty', 'treaties'],
    rows:
      kind === 'closed'
        ? sql`from chancery_world.treaty where not types <@ ${allowed}`
        : sql`from chancery_world.treaty where types && ${[key]}`,
  })),
  news_categories: ofList(
    'news_categories',
    column(['item of news', 'items of news'], 'chancery_world.news_item', 'category'),
  ),
  event_kinds: change => [column(events, keptEvents, 'type')(change, [])],
  'attributes.nation': attributeQueries('nation', nations),
  'attributes.alliance': attributeQueries('alliance', alliances),
}

/** One line: the change, the stored uses that prevent it, and what to do. */
export function rejectionOf(change: ProfileChange, uses: StoredUse[]): string {
  return `${change.path}: ${uses.map(countText).join(', ')} ${verb(uses)} ${objectOf(change)}, and ${consequence(change)}. ${remedy(change)}`
}

const countText = ({ count, nouns: [one, many] }: StoredUse) => `${count} ${count === 1 ? one : many}`

const verb = ([first, ...further]: StoredUse[]) =>
  first?.count === 1 && further.length === 0 ? 'uses' : 'use'

const objectOf = ({ kind, part }: ProfileChange) => {
  if (kind === 'narrowed') return 'more decimals'
  if (kind === 'closed') return 'words that are not in the list'
  return part.startsWith('attributes.') ? 'it' : 'the word'
}

function consequence({ kind, what, part, renamedTo }: ProfileChange): string {
  const change = what ? `${what.name} would go from ${what.from} to ${what.to}` : ''
  switch (kind) {
    case 'loosened':
      return `${change}: values that were stored as more private would become readable`
    case 'rescoped':
      return `${change}: stored values would become readable with other keys`
    case 'retyped':
      return `${change}: stored values would have the wrong type`
    case 'narrowed':
      return `${change}: stored amounts would not fit`
    case 'remapped':
      return `${change}: they have the previous one`
    case 'closed':
      return 'an empty list accepts any key; with keys it accepts only these'
    default:
      return `it is no longer in the profile${renamedTo ? ` (is it ${part === 'event_kinds' ? renamedTo : `"${renamedTo}"`} now?)` : ''}`
  }
}

const clearing: Partial<Record<ProfilePart, string>> = {
  currency: 'delete its market prices first',
  units: 'send counts of 0 for it first (events keep theirs)',
  resources: 'send counts of 0 for it and delete its market price first',
  'attributes.nation': 'set it to null wherever it has a value first',
  'attributes.alliance': 'set it to null wherever it has a value first',
  nation_statuses: 'send another game_status or null for these nations first',
  war_outcomes: 'send another game_outcome or null for these wars first',
  event_kinds: '',
}

/** What the operator can do: at least one way that always works. */
function remedy({ kind, part, key, what, renamedTo }: ProfileChange): string {
  const cleared = clearing[part] ?? 'send another key for these rows first'
  const orCleared = cleared === '' ? '' : `, or ${cleared}`
  switch (kind) {
    case 'removed':
      return `Keep the key ${key}${renamedTo ? ' and change its label' : ''}${orCleared}.`
    case 'closed':
      return `Add these words to the list${orCleared}.`
    case 'narrowed':
      return what?.name === 'price_decimals'
        ? 'Leave it as it was, or delete these market prices and send them again, rounded (events keep theirs).'
        : 'Leave it as it was, or send these amounts again, rounded.'
    case 'retyped':
    case 'remapped':
    case 'loosened':
    case 'rescoped':
      return `Leave it as it was and add a new one under another key${orCleared}.`
    default:
      return 'Leave it as it was.'
  }
}
