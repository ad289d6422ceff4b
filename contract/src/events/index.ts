import type { Static } from 'typebox'
import { type Profile, valueSchema } from '../profile/profile.ts'
import { strictObject } from '../shared-schemas.ts'
import { writtenText } from '../text-origin.ts'
import { historyKinds, marketKinds } from './history.ts'
import { type EventKind, gameKind } from './kind.ts'
import { allianceKinds, nationKinds } from './nations.ts'
import { warKinds, weaponKinds } from './wars.ts'

export type { EventKind } from './kind.ts'

/** Every kind that Chancery itself defines. */
export const eventKindsOf = (profile: Profile) => ({
  ...warKinds(profile),
  ...allianceKinds(profile),
  ...nationKinds(),
  ...historyKinds(),
  ...marketKinds(profile),
  ...weaponKinds(profile),
})

type KnownKinds = ReturnType<typeof eventKindsOf>
export type EventType = keyof KnownKinds
export type EventData<K extends EventType> = Static<KnownKinds[K]['data']>

/** The kinds that a game adds in its profile. */
export function gameEventKinds(profile: Profile): Record<string, EventKind> {
  return Object.fromEntries(
    profile.event_kinds.map(({ type, description, data }) => [
      type,
      gameKind(
        description,
        strictObject(
          Object.fromEntries(
            Object.entries(data).map(([member, value]) => [
              member,
              value.type === 'string' ? writtenText(valueSchema(value)) : valueSchema(value),
            ]),
          ),
        ),
      ),
    ]),
  )
}

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
