import type { Contract } from '@chancery/contract'
import type { Pools } from './pools.ts'

/** What every read needs. */
export interface ReadContext {
  pools: Pools
  contract: Contract
}
