import type { Scope } from '@chancery/contract'

/** The key of a request, without its secret. */
export interface Key {
  id: string
  playerId: string
  name: string
  scopes: ReadonlySet<Scope>
  /** Requests per window; null for the default limit. */
  callLimit: number | null
  /** The rate-limit window: its own id, or that of the first key in a series of rotations. */
  windowId: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

/** Who sends a request. */
export type Viewer = { kind: 'anonymous' } | { kind: 'key'; key: Key }

export const anonymous: Viewer = { kind: 'anonymous' }
