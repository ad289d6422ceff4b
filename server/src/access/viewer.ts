import type { Scope } from '@chancery/contract'

/** A key as a call presents it, without its secret. */
export interface Key {
  id: string
  playerId: string
  name: string
  scopes: ReadonlySet<Scope>
  /** Calls in one window; null for the limit of everybody's keys. */
  callLimit: number | null
  /** Names its rate-limit window: its own id, or that of the first key in a series of replacements. */
  windowId: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

/** Who asks: everybody is somebody, with a key or without. */
export type Viewer = { kind: 'anonymous' } | { kind: 'key'; key: Key }

export const anonymous: Viewer = { kind: 'anonymous' }
