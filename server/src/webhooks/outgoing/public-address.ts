import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What IANA has given out for use on the internet (RFC 4291, 2.4). ipaddr.js takes for unicast whatever it has no name for,
 * also `::/96` (IPv4-compatible) and all that is not given out.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure's host, in public space: it hands machines what they start with, and answers in no other network. */
const azureHost = '168.63.129.16'

/**
 * Whether an address is one of the public internet: only what is known to be public is.
 *
 * IPv6 that carries an IPv4 address (mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP) is never public, whichever it
 * carries: which machine answers there is decided by a gateway near this one, and its host has the plain address as well.
 * A zone (`fe80::1%eth0`) names an interface of this machine.
 */
export function isPublicAddress(text: string): boolean {
  // ipaddr.js reads octal, hexadecimal and shortened IPv4 too: only what the socket would take is an address here.
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

/** RFC 5214: under any prefix, the lower half says `5efe` and then an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}
