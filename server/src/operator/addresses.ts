import { limits, operatorOperations } from '@chancery/contract'
import { notFound } from '../http/http-error.ts'
import {
  listAddressLimits,
  parseAddressRange,
  removeAddressLimit,
  setAddressLimit,
} from '../limits/address-limits.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { OperatorError } from './operator-error.ts'
import { futureTime } from './tokens.ts'

const dayMs = 86_400_000

/** Limits of addresses. */
export function addressRoutes(
  define: DefineOperatorOperation,
  { pools, pulse, addressLimits }: Pick<OperatorContext, 'pools' | 'pulse' | 'addressLimits'>,
): void {
  define(operatorOperations.addressesList, async () => ({
    body: { data: await listAddressLimits(pools.access) },
  }))

  define(operatorOperations.addressesSetLimit, async ({ id, body: { limit, note = null, expires_at } }) => {
    const address = rangeOf(id)
    const ends = futureTime(expires_at, pulse.now())
    if (Date.parse(ends) > pulse.now() + limits.addressLimitDays * dayMs)
      throw new OperatorError(
        'bad_request',
        `expires_at must be within ${limits.addressLimitDays} days: set it again later.`,
      )
    const saved = await setAddressLimit(pools.access, address, { limit, note, expires_at: ends })
    if (!saved)
      throw new OperatorError(
        'bad_request',
        `There are ${limits.addressLimits} limits of addresses already: remove some.`,
      )
    await addressLimits.refresh()
    return { subject: address, body: saved }
  })

  define(operatorOperations.addressesRemoveLimit, async ({ id }) => {
    const removed = await removeAddressLimit(pools.access, rangeOf(id))
    if (!removed) throw notFound('limit of this address')
    await addressLimits.refresh()
    return { subject: removed.address, body: removed }
  })
}

function rangeOf(text: string): string {
  const range = parseAddressRange(text)
  if (range === undefined)
    throw new OperatorError(
      'bad_request',
      'The address must be an IPv4 or IPv6 address, or a range from /8 (IPv6: /16 to /64), such as 203.0.113.0/24.',
    )
  return range
}
