import { isIP, type LookupFunction } from 'node:net'
import { SendError } from './send-error.ts'

/**
 * A look-up that refuses a name if any of its addresses is not allowed: a name with one public and one private address is made
 * to slip through. Whoever connects gets the addresses that were judged, and no others.
 */
export function guardLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      if (error || !addresses?.length) callback(new SendError('name_not_found'), [])
      else if (addresses.every(({ address }) => isAllowed(address))) callback(null, addresses)
      else callback(new SendError('address_not_public'), [])
    })
  }
}
