import type { Static } from 'typebox'
import { type Profile, valueSchema } from '../profile/profile.ts'
import { strictObject } from '../shared-schemas.ts'
import { writtenText } from '../text-origin.ts'
import { historyKinds, marketKinds } from './history.ts'
import { type EventKind, gameKind } from './kind.ts'
import { allianceKinds, nationKinds } from './nations.ts'
import { warKinds, weaponKinds } from './wars.ts'

export type { EventKind } from './kind.ts'

/** Every kind that Chancery itself knows. */
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

/** The kinds that a game adds in its profile, as kinds. */
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

/** Which events a stream or a webhook endpoint hears. Conditions that are absent leave all; those given all have to hold. */
export interface EventFilter {
  /** Kinds (`war.declared`) and families (`war.*`). */
  types?: readonly string[] | undefined
  /** About one of these nations. */
  nationIds?: readonly string[] | undefined
  /** About one of these alliances. */
  allianceIds?: readonly string[] | undefined
  warId?: string | undefined
}

/** What a filter looks at. */
interface Subject {
  type: string
  nation_ids: readonly string[]
  alliance_ids: readonly string[]
  war_id: string | null
}

/** Whether a word of a filter names a kind: by its name, or by its family. */
export const matchesType = (word: string, type: string): boolean =>
  word.endsWith('.*') ? type.startsWith(word.slice(0, -1)) : word === type

/** Makes a function that says whether an event passes. Kinds that come later belong to their family. */
export function createEventFilter({
  types,
  nationIds,
  allianceIds,
  warId,
}: EventFilter): (event: Subject) => boolean {
  const names = types && new Set(types.filter(word => !word.endsWith('.*')))
  const families = types?.filter(word => word.endsWith('.*'))
  const nations = nationIds && new Set(nationIds)
  const alliances = allianceIds && new Set(allianceIds)
  return ({ type, nation_ids, alliance_ids, war_id }) =>
    (!names || names.has(type) || families?.some(family => matchesType(family, type)) === true) &&
    (!nations || nation_ids.some(id => nations.has(id))) &&
    (!alliances || alliance_ids.some(id => alliances.has(id))) &&
    (warId === undefined || war_id === warId)
}
