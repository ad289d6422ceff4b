import type { Contract } from '@chancery/contract'
import type { Pools } from './pools.ts'

/** The dependencies of reads. */
export interface ReadContext {
  pools: Pools
  contract: Contract
}

/** The URL of an item's page in the game, by the profile's template; null where the game has none. */
export const pageUrl = (template: string | null, id: string): string | null =>
  template === null ? null : template.replace('{id}', encodeURIComponent(id))
