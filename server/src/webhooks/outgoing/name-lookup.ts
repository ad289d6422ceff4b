import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** Well within an attempt's time: two tries of each name server. */
const createDefaultResolver = () => new Resolver({ timeout: 3_000, tries: 2 })

/**
 * Asks name servers. The system's own look-up (`dns.lookup`) has two threads for the whole process: two names whose servers
 * are silent would hold up every other, also that of the database.
 * A resolver for each look-up: it reads the machine's settings when it is made (27 µs), and remembers no answer.
 */
export function createNameLookup(
  onClose: (stop: () => void) => () => void,
  createResolver: () => Resolver = createDefaultResolver,
): LookupFunction {
  return (hostname, _options, callback) => {
    const resolver = createResolver()
    const forget = onClose(() => resolver.cancel())
    findAddresses(resolver, hostname)
      .finally(forget)
      .then(
        addresses => callback(null, addresses),
        error => callback(error, []),
      )
  }
}

/** One kind is enough: name servers that know nothing of IPv6 fail instead of saying that there is none. */
async function findAddresses(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const listed = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map(address => ({ address, family })) : []
  return [...listed(four, 4), ...listed(six, 6)]
}
