import { operatorOperations } from '@chancery/contract'
import { notFound } from '../http/api-error.ts'
import {
  addressHoursMax,
  busiestAddresses,
  busiestKeys,
  findRequests,
  keyHoursMax,
  type Top,
} from '../journal/queries.ts'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'

/** More hours than are counted are as many as are. */
const topOf = ({ hours = 24, limit = 20 }: Partial<Top>, hoursMax: number): Top => ({
  hours: Math.min(hours, hoursMax),
  limit,
})

/** What became of a request, and who calls most. */
export function requestRoutes(
  define: DefineOperatorRoute,
  { requestLog: journal }: Pick<OperatorContext, 'requestLog'>,
): void {
  define(operatorOperations.requestsGet, async ({ id }) => {
    const calls = await journal.read(db => findRequests(db, id))
    if (calls.length === 0) throw notFound('request with this id in the journal')
    return { body: { data: calls } }
  })

  define(operatorOperations.usageKeys, async ({ query }) => {
    const top = topOf(query, keyHoursMax)
    return { body: { data: await journal.read((db, nowMs) => busiestKeys(db, top, nowMs)) } }
  })

  define(operatorOperations.usageAddresses, async ({ query }) => {
    const top = topOf(query, addressHoursMax)
    return { body: { data: await journal.read((db, nowMs) => busiestAddresses(db, top, nowMs)) } }
  })
}
