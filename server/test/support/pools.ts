import { createPools, type PoolsOptions } from '../../src/store/pools.ts'

/** Connection pools whose timeouts a slow machine does not reach. */
export const createTestPools = (target: PoolsOptions['target']) => createPools({ target, timeoutFactor: 40 })
