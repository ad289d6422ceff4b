import type { AccountKey, PageInfo, Scope } from '@chancery/contract'

export const isInactive = (key: AccountKey, nowMs: number) =>
  key.revoked_at !== null || (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs)

/** The scopes of a key that open secrets. */
export const privateScopes = (scopes: Scope[], info: PageInfo) =>
  scopes.filter(name => info.scopes.some(scope => scope.name === name && scope.is_private))

/** The beginning of a key, as it is told from others; the rest is known to nobody here. */
export const displayPrefix = ({ prefix }: AccountKey) =>
  prefix ? `${prefix}…` : 'kept before beginnings were'
