import type { Scope } from '@chancery/contract'
import { defaultScopes, scopeNames } from '@chancery/contract'

/** Somebody who asks: what the key is, and how its player stands in the world of `world.ts` when that has come to its end. */
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

const all = scopeNames

/** Every standing that the contract tells apart, and those that were lost. */
export const viewers: readonly Viewer[] = [
  { name: 'anonymous', player: undefined, scopes: [] },
  { name: 'stranger', player: 'p_stranger', scopes: all },
  {
    name: 'leader',
    player: 'p_leader',
    scopes: all,
    nation: 'n_leader',
    alliance: 'a_one',
    treasury: 'a_one',
  },
  {
    name: 'officer',
    player: 'p_officer',
    scopes: all,
    nation: 'n_officer',
    alliance: 'a_one',
    treasury: 'a_one',
  },
  { name: 'member', player: 'p_member', scopes: all, nation: 'n_member', alliance: 'a_one' },
  {
    name: 'trusted',
    player: 'p_trusted',
    scopes: all,
    nation: 'n_trusted',
    alliance: 'a_one',
    treasury: 'a_one',
  },
  { name: 'barred', player: 'p_barred', scopes: all, nation: 'n_barred', alliance: 'a_one' },
  { name: 'demoted', player: 'p_demoted', scopes: all, nation: 'n_demoted', alliance: 'a_one' },
  // Saw the treasury of a_two, and is a plain member of a_one now.
  { name: 'mover', player: 'p_mover', scopes: all, nation: 'n_mover', alliance: 'a_one' },
  { name: 'applicant', player: 'p_applicant', scopes: all, nation: 'n_applicant' },
  { name: 'ally', player: 'p_ally', scopes: all, nation: 'n_ally', alliance: 'a_two', treasury: 'a_two' },
  {
    name: 'enemy',
    player: 'p_enemy',
    scopes: all,
    nation: 'n_enemy',
    alliance: 'a_three',
    treasury: 'a_three',
  },
  // Led n_taken, which p_thief leads now.
  { name: 'loser', player: 'p_loser', scopes: all },
  { name: 'thief', player: 'p_thief', scopes: all, nation: 'n_taken' },
  // Leads a nation, and an alliance, that were deleted and made again under the same id.
  {
    name: 'reborn',
    player: 'p_reborn',
    scopes: all,
    nation: 'n_reborn',
    alliance: 'a_again',
    treasury: 'a_again',
  },
  // Keys that are narrower than their player.
  {
    name: 'narrow',
    player: 'p_leader',
    scopes: ['production.read'],
    nation: 'n_leader',
    alliance: 'a_one',
    treasury: 'a_one',
  },
  {
    name: 'treasurer',
    player: 'p_officer',
    scopes: ['treasury.read'],
    nation: 'n_officer',
    alliance: 'a_one',
    treasury: 'a_one',
  },
  {
    name: 'plain',
    player: 'p_trusted',
    scopes: defaultScopes,
    nation: 'n_trusted',
    alliance: 'a_one',
    treasury: 'a_one',
  },
]

export const isViewersPlayer = (player: unknown): boolean => viewers.some(viewer => viewer.player === player)
