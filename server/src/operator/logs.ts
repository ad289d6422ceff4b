import { operatorOperations } from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import {
  addressHoursMax,
  findRequests,
  keyHoursMax,
  type TopQuery,
  topAddresses,
  topKeys,
} from '../request-log/queries.ts'
import { listAuditLines } from './audit-log.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'

/** Hours beyond the retention time are cut to it. */
const topOf = ({ hours = 24, limit = 20 }: Partial<TopQuery>, hoursMax: number): TopQuery => ({
  hours: Math.min(hours, hoursMax),
  limit,
})

/** Request log and usage counters. */
export function requestRoutes(
  define: DefineOperatorOperation,
  { requestLog }: Pick<OperatorContext, 'requestLog'>,
): void {
  define(operatorOperations.requestsGet, async ({ id }) => {
    const rows = await requestLog.read(db => findRequests(db, id))
    if (rows.length === 0) throw notFound('request with this id in the log')
    return { body: { data: rows } }
  })

  define(operatorOperations.usageKeys, async ({ query }) => {
    const top = topOf(query, keyHoursMax)
    return { body: { data: await requestLog.read((db, nowMs) => topKeys(db, top, nowMs)) } }
  })

  define(operatorOperations.usageAddresses, async ({ query }) => {
    const top = topOf(query, addressHoursMax)
    return { body: { data: await requestLog.read((db, nowMs) => topAddresses(db, top, nowMs)) } }
  })
}

/** Audit log of the operator API. */
export function auditLogRoutes(
  define: DefineOperatorOperation,
  { pools, auditLog }: Pick<OperatorContext, 'pools' | 'auditLog'>,
): void {
  define(operatorOperations.logList, async ({ query }) => {
    await auditLog.flush()
    return { body: { data: await listAuditLines(pools.access, query) } }
  })
}
