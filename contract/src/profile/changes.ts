import type { Class } from '../classification.ts'
import { type Attribute, currencyOf, type Profile } from './profile.ts'

/**
 * The effect of a profile change on stored data:
 *
 * - `added`, `reworded`, `opened` (an emptied list, which allows any key): none.
 * - `tightened`: fewer viewers may read it; stored values move to the new class.
 * - `loosened`, `rescoped`: other viewers may read it, which the owners of stored values have not agreed to.
 * - `retyped`: stored values have another type.
 * - `widened`: amounts may have more decimals: none. `narrowed`: stored amounts may have more decimals than are left.
 * - `remapped`: stored values were mapped to another fixed word.
 * - `removed`: stored values use an unknown key.
 * - `closed`: a list that allowed any key now allows only its own.
 */
export type ProfileChangeKind =
  | 'added'
  | 'reworded'
  | 'opened'
  | 'tightened'
  | 'loosened'
  | 'rescoped'
  | 'retyped'
  | 'widened'
  | 'narrowed'
  | 'remapped'
  | 'removed'
  | 'closed'

const termLists = [
  'governments',
  'continents',
  'war_types',
  'battle_kinds',
  'treaty_types',
  'news_categories',
] as const
const mappedLists = ['nation_statuses', 'war_outcomes'] as const
export const attributeOwners = ['nation', 'alliance'] as const

/** The part of a profile that contains a term. */
export type ProfilePart =
  | 'game'
  | 'currency'
  | 'units'
  | 'resources'
  | 'ranks'
  | 'event_kinds'
  | (typeof termLists)[number]
  | (typeof mappedLists)[number]
  | `attributes.${(typeof attributeOwners)[number]}`

export interface ProfileChange {
  /** `units.tanks`, `attributes.nation.morale`; for a closed list, the list. */
  path: string
  part: ProfilePart
  /** The key of the term; empty for an opened or closed list. */
  key: string
  kind: ProfileChangeKind
  /** The changed member, if the term is kept. */
  what?: { name: string; from: string; to: string }
  /** A new key with the same label or at the same index as a removed one: probably its new name. */
  renamedTo?: string
}

/** Whether a change is rejected while stored rows use the term. */
export const requiresUnused = ({ kind }: ProfileChange): boolean =>
  !['added', 'reworded', 'opened', 'tightened', 'widened'].includes(kind)

/** The differences between two profiles, in the order of their parts. */
export function profileChanges(before: Profile, after: Profile): ProfileChange[] {
  return [
    ...gameChanges(before, after),
    ...currencyChanges(before, after),
    ...listChanges('units', before.units, after.units, unitChanges),
    ...resourceChanges(before.resources, after.resources),
    ...listChanges('ranks', before.ranks, after.ranks, rankChanges),
    ...termLists.flatMap(part => wordListChanges(part, before[part], after[part])),
    ...mappedLists.flatMap(part => listChanges(part, before[part] ?? [], after[part] ?? [], mappingChanges)),
    ...listChanges(
      'event_kinds',
      before.event_kinds.map(asWord),
      after.event_kinds.map(asWord),
      eventKindChanges,
    ),
    ...attributeOwners.flatMap(owner =>
      listChanges(`attributes.${owner}`, before.attributes[owner], after.attributes[owner], attributeChanges),
    ),
  ]
}

interface Term {
  key: string
  label?: string
}

/** A difference of a term that is kept. */
type Difference = Pick<ProfileChange, 'kind' | 'what'>
type Compare<T extends Term> = (before: T, after: T) => Difference[]

const asWord = <K extends { type: string }>(kind: K) => ({ ...kind, key: kind.type })

/** Whether two profiles, or parts of them, are equal. The order of members does not matter: PostgreSQL stores another. */
export const profilesEqual = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)

/** A profile, or a part of one, as JSON with sorted members. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )

const changed = (name: string, from: string, to: string) => ({ name, from, to })

function gameChanges(before: Profile, after: Profile): ProfileChange[] {
  return (['name', 'url', 'pages'] as const)
    .filter(key => !profilesEqual(before[key], after[key]))
    .map(key => ({ path: key, part: 'game', key, kind: 'reworded' }))
}

function currencyChanges(before: Profile, after: Profile): ProfileChange[] {
  const { key } = before.currency
  if (key !== after.currency.key) {
    return [
      { path: `currency.${key}`, part: 'currency', key, kind: 'removed', renamedTo: after.currency.key },
    ]
  }
  const place = { path: `currency.${key}`, part: 'currency', key } as const
  const [known, now] = [currencyOf(before), currencyOf(after)]
  const differences = (['decimals', 'price_decimals'] as const)
    .filter(name => known[name] !== now[name])
    .map(
      (name): Difference => ({
        kind: known[name] < now[name] ? 'widened' : 'narrowed',
        what: changed(name, `${known[name]}`, `${now[name]}`),
      }),
    )
  if (differences.length === 0 && !profilesEqual(before.currency, after.currency))
    differences.push({ kind: 'reworded' })
  return differences.map(difference => ({ ...place, ...difference }))
}

function listChanges<T extends Term>(
  part: ProfilePart,
  before: readonly T[],
  after: readonly T[],
  compare: Compare<T> = () => [],
): ProfileChange[] {
  const place = (key: string) => ({ path: `${part}.${key}`, part, key })
  const known = new Map(before.map(word => [word.key, word]))
  const kept = new Map(after.map(word => [word.key, word]))
  const added = after.filter(({ key }) => !known.has(key))
  const stayed = before.flatMap((word): ProfileChange[] => {
    const now = kept.get(word.key)
    if (!now) {
      const renamedTo = newNameOf(word, before, after, added)
      return [{ ...place(word.key), kind: 'removed', ...(renamedTo ? { renamedTo } : {}) }]
    }
    const differences = compare(word, now)
    if (differences.length === 0 && !profilesEqual(word, now)) differences.push({ kind: 'reworded' })
    return differences.map(difference => ({ ...place(word.key), ...difference }))
  })
  return [...stayed, ...added.map(({ key }): ProfileChange => ({ ...place(key), kind: 'added' }))]
}

function newNameOf<T extends Term>(
  word: T,
  before: readonly T[],
  after: readonly T[],
  added: readonly T[],
): string | undefined {
  const alike = added.find(({ label }) => label !== undefined && label === word.label)
  const there = before.length === after.length ? after[before.indexOf(word)] : undefined
  return (alike ?? added.find(entry => entry === there))?.key
}

/** An empty list allows any key: emptying a list removes none, filling it may. */
function wordListChanges(
  part: ProfilePart,
  before: readonly Term[],
  after: readonly Term[],
): ProfileChange[] {
  if (before.length > 0 && after.length === 0) return [{ path: part, part, key: '', kind: 'opened' }]
  const changes = listChanges(part, before, after)
  return before.length > 0 || after.length === 0 ? changes : [closed(part), ...changes]
}

const closed = (part: ProfilePart): ProfileChange => ({ path: part, part, key: '', kind: 'closed' })

/** With an empty list, the market allows any key, and stocks allow none. */
function resourceChanges(before: readonly Term[], after: readonly Term[]): ProfileChange[] {
  const changes = listChanges('resources', before, after)
  return before.length > 0 || after.length === 0 ? changes : [closed('resources'), ...changes]
}

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')

const unitChanges: Compare<Profile['units'][number]> = (before, after) => {
  const differences: Difference[] = []
  if (before.is_strategic !== after.is_strategic) {
    const what = changed('is_strategic', yesOrNo(before.is_strategic), yesOrNo(after.is_strategic))
    // Counts of strategic weapons are stored separately from those of other units, so either change affects stored values.
    differences.push({ kind: before.is_strategic ? 'loosened' : 'retyped', what })
  }
  if (before.shows_in_losses !== after.shows_in_losses) {
    const what = changed('shows_in_losses', yesOrNo(before.shows_in_losses), yesOrNo(after.shows_in_losses))
    differences.push({ kind: after.shows_in_losses ? 'loosened' : 'tightened', what })
  }
  return differences
}

const seesTreasury = (tier: string) => tier === 'leader' || tier === 'officer'

const rankChanges: Compare<Profile['ranks'][number]> = (before, after) => {
  if (seesTreasury(before.tier) === seesTreasury(after.tier)) return []
  const what = changed('tier', before.tier, after.tier)
  return [{ kind: seesTreasury(after.tier) ? 'loosened' : 'tightened', what }]
}

const mappingChanges: Compare<Term & { is: string }> = (before, after) =>
  before.is === after.is ? [] : [{ kind: 'remapped', what: changed('is', before.is, after.is) }]

/** An added member does not affect stored events, which lack it. */
const eventKindChanges: Compare<Profile['event_kinds'][number] & Term> = (before, after) =>
  Object.entries(before.data).flatMap(([member, { type }]): Difference[] => {
    const now = Object.hasOwn(after.data, member) ? (after.data[member]?.type ?? 'none') : 'none'
    return now === type ? [] : [{ kind: 'retyped', what: changed(`data.${member}`, type, now) }]
  })

/** The openness of a class, from 0 (not readable). The two private ones differ in their viewers only. */
const openness: Record<Class, number> = {
  admin_only: 0,
  alliance_private: 1,
  player_private: 1,
  public: 2,
}

const attributeChanges: Compare<Attribute> = (before, after) => {
  const differences: Difference[] = []
  const step = openness[after.class] - openness[before.class]
  if (step !== 0) {
    const what = changed('class', before.class, after.class)
    differences.push({ kind: step > 0 ? 'loosened' : 'tightened', what })
  } else if (before.class !== after.class) {
    differences.push({ kind: 'rescoped', what: changed('class', before.class, after.class) })
  } else if (before.scope !== after.scope) {
    differences.push({ kind: 'rescoped', what: changed('scope', `${before.scope}`, `${after.scope}`) })
  }
  if (before.type !== after.type)
    differences.push({ kind: 'retyped', what: changed('type', before.type, after.type) })
  return differences
}

/** SHA-256 of a profile in hexadecimal digits, independent of the order of members. */
export async function profileDigest(profile: Profile): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(profile)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}
