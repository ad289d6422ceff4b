/**
 * Server-side request forgery guard: which URLs, names and addresses a webhook may be sent to. The URL is checked when an endpoint is
 * saved and before each attempt, every address of a name when it is resolved, and the peer's address again once connected.
 */
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { type DeliveryError, isPublicHostName, webhooks } from '@chancery/contract'
import ipaddr from 'ipaddr.js'

/** An error with its code alone: URLs and addresses are private to the owner of the endpoint. */
export class SendError extends Error {
  override name = 'SendError'
  readonly code: DeliveryError

  constructor(code: DeliveryError) {
    super(code)
    this.code = code
  }
}

/**
 * Ports of line-based services such as mail servers, which would execute what they are sent. Browsers block them too.
 * https://fetch.spec.whatwg.org/#port-blocking
 */
export const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Parses the URL of an endpoint: the normalized URL, or an error message for its owner. Names are resolved only when connecting. */
export function checkEndpointUrl(text: string, { allowsLocal }: { allowsLocal: boolean }): URL | string {
  const tooLong = `The address is longer than ${webhooks.urlLengthMax} characters.`
  if (text.length > webhooks.urlLengthMax) return tooLong
  const url = URL.parse(text)
  if (!url) return 'This is not a complete address: it begins with https:// and then names a host.'
  // Percent-encoding makes it longer.
  if (url.href.length > webhooks.urlLengthMax) return tooLong
  return urlProblem(url, allowsLocal) ?? (allowsLocal ? undefined : hostProblem(url.hostname)) ?? url
}

function urlProblem(url: URL, allowsLocal: boolean): string | undefined {
  const { protocol, port } = url
  if (protocol !== 'https:' && !(allowsLocal && protocol === 'http:'))
    return `The address must begin with https://${allowsLocal ? ' or http://' : ''}.`
  if (url.username || url.password)
    return 'The address must not contain a user name or password: check the signature of a message to know who sent it.'
  if (url.href.includes('#')) return 'The address must not have a part after #: it would not be sent.'
  if (port && blockedPorts.has(Number(port)))
    return `Port ${port} is blocked because another kind of service uses it.`
  if (url.hostname.endsWith('.')) return 'The name of the host must not end with a dot.'
  return undefined
}

function hostProblem(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(literal))
    return isPublicAddress(literal) ? undefined : 'The address must be reachable from the public internet.'
  if (!isPublicHostName(hostname))
    return 'The name of the host must be one of the public internet, such as hooks.example.com.'
  return undefined
}

/**
 * The range that IANA allocates for global unicast (RFC 4291, 2.4). ipaddr.js reports unicast for every range without a name of its own,
 * including `::/96` (IPv4-compatible) and unallocated space.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's platform address (WireServer): in public space, but serves instance metadata inside Azure networks. */
const azureHost = '168.63.129.16'

/**
 * Whether an address is known to be public.
 *
 * IPv6 that embeds an IPv4 address (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP) never is: a nearby gateway decides which
 * machine receives it, and a public host has the plain address as well. A zone (`fe80::1%eth0`) names an interface of this machine.
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js also parses octal, hexadecimal and shortened IPv4. The socket does not.
  switch (isIP(text)) {
    case 4:
      return text !== azureHost && ipaddr.IPv4.parse(text).range() === 'unicast'
    case 6:
      return !text.includes('%') && isPublicIPv6(ipaddr.IPv6.parse(text))
    default:
      return false
  }
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  return address.match(globalUnicast) && address.range() === 'unicast' && !isIsatap(address)
}

/** RFC 5214: under any prefix, the lower half contains `5efe` and then an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}

/**
 * Rejects a name if any of its addresses is not allowed: mixing a public and a private address is an attack (DNS rebinding). The
 * connector gets exactly the addresses that were checked.
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

/** Well within the timeout of an attempt: two tries of each name server. */
const createDefaultResolver = () => new Resolver({ timeout: 3_000, tries: 2 })

/**
 * Queries name servers directly. `dns.lookup` uses two threads of the process: two names with unresponsive servers would block all
 * others, the database's included. Each lookup has its own resolver, which reads the system's settings (27 µs) and caches nothing.
 */
export function createNameLookup(
  onClose: (stop: () => void) => () => void,
  createResolver: () => Resolver = createDefaultResolver,
): LookupFunction {
  return (hostname, _options, callback) => {
    const resolver = createResolver()
    const unsubscribe = onClose(() => resolver.cancel())
    findAddresses(resolver, hostname)
      .finally(unsubscribe)
      .then(
        addresses => callback(null, addresses),
        error => callback(error, []),
      )
  }
}

/** One family is enough: name servers without IPv6 support fail instead of returning no records. */
async function findAddresses(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const listed = (result: PromiseSettledResult<string[]>, family: number) =>
    result.status === 'fulfilled' ? result.value.map(address => ({ address, family })) : []
  return [...listed(four, 4), ...listed(six, 6)]
}
