import ipaddr from 'ipaddr.js'

/** The proxies whose word about a caller's address and request id is taken. */
export interface TrustedProxies {
  includes(address: string | undefined): boolean
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Reads a list of addresses and CIDR ranges. Empty: nobody is trusted.
 * @throws {Error} for a text that is neither, naming it.
 */
export function createTrustedProxies(list: readonly string[]): TrustedProxies {
  const ranges = list.map(readRange)
  return {
    includes(address) {
      if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false
      const ip = ipaddr.process(address)
      return ranges.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits))
    },
  }
}

function readRange(text: string): Range {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    throw new Error(`${text} is neither an address nor a range like 10.0.0.0/8`)
  }
}
