import { CommandError } from '../command-error.ts'
import { isRecord } from '../record.ts'

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
}

/** With the key itself, which is told once. */
export interface NewKey extends KeyRecord {
  key: string
}

/** Throws a CommandError for what no Chancery says. */
export function readKey(answer: unknown): KeyRecord {
  if (!isRecord(answer)) throw strange()
  const text = (member: string): string => {
    const value = answer[member]
    if (typeof value !== 'string') throw strange()
    return value
  }
  const textOrNull = (member: string) => (answer[member] == null ? null : text(member))
  return {
    id: text('id'),
    player_id: text('player_id'),
    name: text('name'),
    scopes: Array.isArray(answer.scopes) ? answer.scopes.map(String) : [],
    limit: typeof answer.limit === 'number' ? answer.limit : null,
    created_at: text('created_at'),
    expires_at: textOrNull('expires_at'),
    revoked_at: textOrNull('revoked_at'),
    last_used_at: textOrNull('last_used_at'),
  }
}

export function readNewKey(answer: unknown): NewKey {
  if (!isRecord(answer) || typeof answer.key !== 'string') throw strange()
  const { id, ...rest } = readKey(answer)
  return { id, key: answer.key, ...rest }
}

export function readKeys(answer: unknown): KeyRecord[] {
  if (!isRecord(answer) || !Array.isArray(answer.data)) throw strange()
  return answer.data.map(readKey)
}

const strange = () =>
  new CommandError('the service answered without what a key has: is it a Chancery of this version?')
