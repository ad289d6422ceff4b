import type { Class } from '../classification.ts'
import type { Attribute, Profile } from './profile.ts'

/**
 * What a change of a profile does to what is stored:
 *
 * - `added`, `reworded`, `opened` (a list that takes any word now): nothing.
 * - `tightened`: fewer may read it; what is stored follows its new class.
 * - `loosened`, `rescoped`: others may read it. What is stored was given under another promise.
 * - `retyped`: what is stored is no value of it any more.
 * - `removed`: what is stored uses a word that is unknown now.
 * - `closed`: a list that took any word now takes its own alone.
 */
export type ProfileChangeKind =
  | 'added'
  | 'reworded'
  | 'opened'
  | 'tightened'
  | 'loosened'
  | 'rescoped'
  | 'retyped'
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
export const attributeOwners = ['nation', 'alliance'] as const

/** The part of a profile in which a word stands. */
export type ProfilePart =
  | 'game'
  | 'currency'
  | 'units'
  | 'resources'
  | 'ranks'
  | 'event_kinds'
  | (typeof termLists)[number]
  | `attributes.${(typeof attributeOwners)[number]}`

export interface ProfileChange {
  /** Where it stands: `units.tanks`, `attributes.nation.morale`; of a list that was closed, the list. */
  path: string
  part: ProfilePart
  /** The word; of a list that was closed, none. */
  key: string
  kind: ProfileChangeKind
  /** What changes of it, where a word stays: from what, to what. */
  what?: { name: string; from: string; to: string }
  /** A new word with the label, or at the place, of one that is removed: it may be meant as its new name. */
  renamedTo?: string
}

/** Whether a change is refused as long as stored things use the word. */
export const requiresUnused = ({ kind }: ProfileChange): boolean =>
  kind === 'loosened' || kind === 'rescoped' || kind === 'retyped' || kind === 'removed' || kind === 'closed'

/** What differs between two profiles, in the order of their parts. Pure: what is stored decides elsewhere. */
export function profileChanges(before: Profile, after: Profile): ProfileChange[] {
  return [
    ...gameChanges(before, after),
    ...currencyChanges(before, after),
    ...listChanges('units', before.units, after.units, unitChanges),
    ...resourceChanges(before.resources, after.resources),
    ...listChanges('ranks', before.ranks, after.ranks, rankChanges),
    ...termLists.flatMap(part => wordListChanges(part, before[part], after[part])),
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

interface Word {
  key: string
  label?: string
}

/** How a word that stays differs; the path and the rest are those of the word. */
type Difference = Pick<ProfileChange, 'kind' | 'what'>
type Compare<W extends Word> = (before: W, after: W) => Difference[]

const asWord = <K extends { type: string }>(kind: K) => ({ ...kind, key: kind.type })

/** Whether two profiles, or parts of them, say the same. The order of members says nothing: PostgreSQL keeps another. */
export const profilesEqual = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)

/** A profile, or a part of one, as text: members in one order. */
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
  return before.currency.label === after.currency.label
    ? []
    : [{ path: `currency.${key}`, part: 'currency', key, kind: 'reworded' }]
}

function listChanges<W extends Word>(
  part: ProfilePart,
  before: readonly W[],
  after: readonly W[],
  compare: Compare<W> = () => [],
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

function newNameOf<W extends Word>(
  word: W,
  before: readonly W[],
  after: readonly W[],
  added: readonly W[],
): string | undefined {
  const alike = added.find(({ label }) => label !== undefined && label === word.label)
  const there = before.length === after.length ? after[before.indexOf(word)] : undefined
  return (alike ?? added.find(entry => entry === there))?.key
}

/** An empty list takes any word: to empty a list removes none, and to fill it may. */
function wordListChanges(
  part: ProfilePart,
  before: readonly Word[],
  after: readonly Word[],
): ProfileChange[] {
  if (before.length > 0 && after.length === 0) return [{ path: part, part, key: '', kind: 'opened' }]
  const changes = listChanges(part, before, after)
  return before.length > 0 || after.length === 0 ? changes : [closed(part), ...changes]
}

const closed = (part: ProfilePart): ProfileChange => ({ path: part, part, key: '', kind: 'closed' })

/** The market takes any word where the list is empty; stocks take none. */
function resourceChanges(before: readonly Word[], after: readonly Word[]): ProfileChange[] {
  const changes = listChanges('resources', before, after)
  return before.length > 0 || after.length === 0 ? changes : [closed('resources'), ...changes]
}

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no')

const unitChanges: Compare<Profile['units'][number]> = (before, after) => {
  const differences: Difference[] = []
  if (before.is_strategic !== after.is_strategic) {
    const what = changed('is_strategic', yesOrNo(before.is_strategic), yesOrNo(after.is_strategic))
    // Counts of strategic weapons are kept apart from those of other units, so that neither way leaves them in place.
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

/** A member more is no change to what is stored: events from before do not have it. */
const eventKindChanges: Compare<Profile['event_kinds'][number] & Word> = (before, after) =>
  Object.entries(before.data).flatMap(([member, { type }]): Difference[] => {
    const now = Object.hasOwn(after.data, member) ? (after.data[member]?.type ?? 'none') : 'none'
    return now === type ? [] : [{ kind: 'retyped', what: changed(`data.${member}`, type, now) }]
  })

/** How far a class lets read: 0 is nobody. The two private ones differ in who, not in how many. */
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

/** SHA-256 in hexadecimal digits of what a profile says: the same for two that say the same, in whatever order. */
export async function profileDigest(profile: Profile): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalJson(profile)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}
