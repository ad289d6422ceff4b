import type { Static } from 'typebox'
import { allianceKinds } from './events/alliances.ts'
import { historyKinds } from './events/history.ts'
import { type EventKind, gameKind } from './events/kind.ts'
import { marketKinds } from './events/market.ts'
import { nationKinds } from './events/nations.ts'
import { warKinds } from './events/wars.ts'
import { weaponKinds } from './events/weapons.ts'
import { type Profile, valueSchema } from './profile.ts'
import { shape } from './shapes.ts'
import { writtenText } from './text-origin.ts'

export type { EventKind } from './events/kind.ts'

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
        shape(
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
