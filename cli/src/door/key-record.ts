import { type Members, membersOf } from './members.ts'

/** What the operator listener tells of a key, without its secret. */
export interface KeyRecord {
  id: string
  player_id: string
  name: string
  scopes: string[]
  limit: number | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** The owner's wish for a higher limit that nobody has answered yet. */
  limit_request: { calls_per_minute: number; sentence: string; asked_at: string } | null
}

/** With the key itself, which is told once. */
export interface NewKey extends KeyRecord {
  key: string
}

/** Throws a CommandError for what no Chancery says, as the readers below. */
export const readKey = (answer: unknown): KeyRecord => keyOf(membersOf(answer, thing))

export function readNewKey(answer: unknown): NewKey {
  const members = membersOf(answer, thing)
  const { id, ...rest } = keyOf(members)
  return { id, key: members.text('key'), ...rest }
}

export const readKeys = (answer: unknown): KeyRecord[] => membersOf(answer, thing).list('data').map(keyOf)

const thing = 'a key'

function keyOf({ text, textOrNull, textsOrNull, numberOrNull, withinOrNull }: Members): KeyRecord {
  const wish = withinOrNull('limit_request')
  return {
    id: text('id'),
    player_id: text('player_id'),
    name: text('name'),
    scopes: textsOrNull('scopes') ?? [],
    limit: numberOrNull('limit'),
    created_at: text('created_at'),
    expires_at: textOrNull('expires_at'),
    revoked_at: textOrNull('revoked_at'),
    last_used_at: textOrNull('last_used_at'),
    limit_request: wish && {
      calls_per_minute: wish.number('calls_per_minute'),
      sentence: wish.text('sentence'),
      asked_at: wish.text('asked_at'),
    },
  }
}
