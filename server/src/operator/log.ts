import { operatorOperations } from '@chancery/contract'
import { listAuditLines } from '../access/audit-log.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

/** Who did what by this listener. */
export function auditLogRoutes(
  define: DefineOperatorRoute,
  { pools, auditLog }: Pick<OperatorContext, 'pools' | 'auditLog'>,
): void {
  define(operatorOperations.logList, async ({ query: { limit = 100, before } }) => {
    await auditLog.flush()
    return { body: { data: await listAuditLines(pools.access, { limit, before }) } }
  })
}
