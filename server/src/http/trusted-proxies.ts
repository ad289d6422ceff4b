import { compile } from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'

/** The proxies whose headers for client address and request id are used. */
export interface TrustedProxies {
  includes(address: string | undefined): boolean
}

/**
 * Parses a list of addresses and CIDR ranges. Empty: no proxy is trusted.
 * @throws {Error} for a text that is neither, or a range that contains public addresses, naming it.
 */
export function createTrustedProxies(list: readonly string[]): TrustedProxies {
  for (const text of list) checkRange(text)
  const isTrusted = compile([...list])
  return { includes: (address = '') => isTrusted(address, 0) }
}

/** 10.0.0.0/8 and fc00::/7 are the widest private ranges. */
const bitsMin = { ipv4: 8, ipv6: 7 }

function checkRange(text: string): void {
  const [written = '', mask] = text.split('/')
  // ipaddr.js takes 1 for 0.0.0.1.
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(written) || ipaddr.IPv6.isValid(written)
  if (!isAddress || (mask !== undefined && !ipaddr.isValidCIDR(text)))
    throw new Error(`${text} is neither an address nor a range like 10.0.0.0/8`)
  if (mask === undefined) return
  const [network, bits] = ipaddr.parseCIDR(text)
  if (bits < bitsMin[network.kind()]) throw new Error(`${text} is wider than /${bitsMin[network.kind()]}`)
  // Its prefix counts 96 bits more than that of the IPv4 range that is meant.
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress())
    throw new Error(`${text} is an IPv4-mapped IPv6 range: write it in IPv4 notation`)
}
