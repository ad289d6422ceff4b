/** What a key may read, with the description that players see when they grant it. */
export const scopes = {
  'nation.read': 'Read which nation is mine, and its public fields.',
  'military.read': 'Read my own units, reserves, readiness and strategic stockpiles.',
  'economy.read': 'Read my own credits and resources.',
  'production.read': 'Read my own production queues.',
  'alliance.read': 'Read my alliance’s assignments for my nation.',
  'treasury.read': 'Read the treasury of my alliance, as long as I may see it in the game.',
} as const

export type Scope = keyof typeof scopes

export const scopeNames = Object.keys(scopes) as Scope[]

/** The scopes of a new key by default. */
export const defaultScopes: readonly Scope[] = ['nation.read']

/** The scopes of a nation's private sections. Each implies `nation.read`. */
export const sectionScopes: readonly Scope[] = [
  'military.read',
  'economy.read',
  'production.read',
  'alliance.read',
]

/** Whether the scopes `granted` include `needed`. */
export function holdsScope(granted: ReadonlySet<Scope>, needed: Scope): boolean {
  return granted.has(needed) || (needed === 'nation.read' && sectionScopes.some(scope => granted.has(scope)))
}
