import type { Static, TSchema } from 'typebox'
import { allianceReference, belligerent, nationReference } from '../resources/references.ts'
import { annotate, nullable } from '../shared-schemas.ts'
import { originsIn, profileKey } from '../text-origin.ts'

/**
 * A kind of event. Its data is public as a whole: members have no class.
 * `isDerived` kinds are derived from changes of state, so that a game can neither omit nor contradict them; others are sent by the game.
 */
export interface EventKind<S extends TSchema = TSchema> {
  description: string
  isDerived: boolean
  data: S
  /** One English sentence for humans, made from the data alone, so that a redaction can regenerate it. Undefined if the game writes it. */
  summarize?(data: Static<S>): string
}

/** A kind of event that Chancery summarizes. Throws if a text of its data does not state its origin. */
function kind<S extends TSchema>(
  isDerived: boolean,
  description: string,
  data: S,
  summarize: (data: Static<S>) => string,
) {
  originsIn(data)
  return { isDerived, description, data, summarize } satisfies EventKind<S>
}

/** A kind that is derived from changes of state. */
export const derivedKind = <S extends TSchema>(
  description: string,
  data: S,
  summarize: (data: Static<S>) => string,
) => kind(true, description, data, summarize)

/** A kind that the game sends, and Chancery summarizes. */
export const sentKind = <S extends TSchema>(
  description: string,
  data: S,
  summarize: (data: Static<S>) => string,
) => kind(false, description, data, summarize)

/** A kind that the game defines. Its texts and its summary are written by people. */
export function gameKind(description: string, data: TSchema): EventKind {
  originsIn(data)
  return { isDerived: false, description, data }
}

/** The same schema with another description. */
export const withDescription = <S extends TSchema>(schema: S, description: string) =>
  annotate(schema, { description })

export const nationSubject = () =>
  withDescription(nationReference(), 'The nation, with its name at that time.')
export const allianceSubject = () =>
  withDescription(allianceReference(), 'The alliance, with its name at that time.')
export const attacker = () =>
  withDescription(
    belligerent(),
    'The nation that declared the war; the first of the two if neither attacked.',
  )
export const defender = () =>
  withDescription(belligerent(), 'The nation it was declared on; the second of the two if neither attacked.')
export const warType = () => nullable(profileKey('Key of the kind of war, as in the game profile.'))

/** The events that a stream or a webhook endpoint receives. All given conditions must match. */
export interface EventFilter {
  /** Kinds (`war.declared`) and families (`war.*`). */
  types?: readonly string[] | undefined
  /** About one of these nations. */
  nationIds?: readonly string[] | undefined
  /** About one of these alliances. */
  allianceIds?: readonly string[] | undefined
  warId?: string | undefined
}

/** The members of an event that a filter reads. */
interface Subject {
  type: string
  nation_ids: readonly string[]
  alliance_ids: readonly string[]
  war_id: string | null
}

/** Whether a pattern (`war.declared` or a family, `war.*`) matches a kind. */
export const matchesType = (pattern: string, type: string): boolean =>
  pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type

/** Creates a predicate for events. Kinds that are added later belong to their family. */
export function createEventFilter({
  types,
  nationIds,
  allianceIds,
  warId,
}: EventFilter): (event: Subject) => boolean {
  const names = types && new Set(types.filter(pattern => !pattern.endsWith('.*')))
  const families = types?.filter(pattern => pattern.endsWith('.*'))
  const nations = nationIds && new Set(nationIds)
  const alliances = allianceIds && new Set(allianceIds)
  return ({ type, nation_ids, alliance_ids, war_id }) =>
    (!names || names.has(type) || families?.some(family => matchesType(family, type)) === true) &&
    (!nations || nation_ids.some(id => nations.has(id))) &&
    (!alliances || alliance_ids.some(id => alliances.has(id))) &&
    (warId === undefined || war_id === warId)
}
