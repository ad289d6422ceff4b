import { operatorOperations } from '@chancery/contract'
import { listLogLines } from '../access/operator-log.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

/** Who did what by this listener. */
export function logRoutes(
  define: DefineOperatorRoute,
  { pools, operatorLog }: Pick<OperatorContext, 'pools' | 'operatorLog'>,
): void {
  define(operatorOperations.logList, async ({ query: { limit = 100, before } }) => {
    await operatorLog.flush()
    return { body: { data: await listLogLines(pools.access, { limit, before }) } }
  })
}
