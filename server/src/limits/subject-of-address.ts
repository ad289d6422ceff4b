import ipaddr from 'ipaddr.js'

/** Parsing costs about a microsecond, and on a dual-stack socket every IPv4 caller arrives as ::ffff:a.b.c.d. */
const subjects = new Map<string, string>()
const subjectsMax = 10_000

/**
 * The subject that an address's calls count against: an IPv4 address itself, written plainly or mapped
 * into IPv6; of an IPv6 address its /64, because one subscriber holds at least that many addresses.
 * Some proxies write a port behind the address: every port of one caller is the same subject.
 * What is no address counts as it stands.
 */
export function subjectOfAddress(address: string): string {
  if (!address.includes(':')) return address
  const known = subjects.get(address)
  if (known !== undefined) return known
  const subject = parse(address)
  if (subjects.size >= subjectsMax) subjects.clear()
  subjects.set(address, subject)
  return subject
}

function parse(address: string): string {
  const withPort = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\])(?::\d+)?$/.exec(address)
  if (withPort) return subjectOfAddress(withPort[1] ?? withPort[2] ?? '')
  // A zone (fe80::1%eth0) names an interface of this machine, not the caller.
  const [bare = address] = address.split('%', 1)
  if (!ipaddr.IPv6.isValid(bare)) return address
  const ip = ipaddr.IPv6.parse(bare)
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address().toString()
  const network = new ipaddr.IPv6([...ip.parts.slice(0, 4), 0, 0, 0, 0])
  return `${network.toRFC5952String()}/64`
}
