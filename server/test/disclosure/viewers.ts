import type { Scope } from '@chancery/contract'
import { defaultScopes, scopeNames } from '@chancery/contract'

/** A caller: the key and the final position of its player in the world of `world.ts`. */
export interface Viewer {
  name: string
  player: string | undefined
  scopes: readonly Scope[]
  /** The nation that the player leads in the end. */
  nation?: string
  /** The alliance of that nation, in the end. */
  alliance?: string
  /** The alliance whose treasury the player may see, in the end. */
  treasury?: string
}

/** A player `p_NAME` who leads `n_NAME`. */
const leads = (name: string, alliance?: string, treasury?: string): Viewer => ({
  name,
  player: `p_${name}`,
  scopes: scopeNames,
  nation: `n_${name}`,
  ...(alliance && { alliance }),
  ...(treasury && { treasury }),
})
const narrowed = (viewer: Viewer, name: string, scopes: readonly Scope[]): Viewer => ({
  ...viewer,
  name,
  scopes,
})

const leader = leads('leader', 'a_one', 'a_one')
const officer = leads('officer', 'a_one', 'a_one')
const trusted = leads('trusted', 'a_one', 'a_one')

/** Every position that the contract distinguishes, and lost ones. */
export const viewers: readonly Viewer[] = [
  { name: 'anonymous', player: undefined, scopes: [] },
  { name: 'outsider', player: 'p_outsider', scopes: scopeNames },
  leader,
  officer,
  leads('member', 'a_one'),
  trusted,
  leads('barred', 'a_one'),
  leads('demoted', 'a_one'),
  // Saw the treasury of a_two, and is an ordinary member of a_one now.
  leads('mover', 'a_one'),
  leads('applicant'),
  leads('ally', 'a_two', 'a_two'),
  leads('enemy', 'a_three', 'a_three'),
  // Led n_taken, which p_thief leads now.
  { name: 'loser', player: 'p_loser', scopes: scopeNames },
  { ...leads('thief'), nation: 'n_taken' },
  // Leads a nation, and an alliance, that were deleted and created again under the same id.
  leads('reborn', 'a_again', 'a_again'),
  // Keys that are narrower than their player.
  narrowed(leader, 'narrow', ['production.read']),
  narrowed(officer, 'treasurer', ['treasury.read']),
  narrowed(trusted, 'plain', defaultScopes),
]

export const isViewersPlayer = (player: unknown): boolean => viewers.some(viewer => viewer.player === player)
