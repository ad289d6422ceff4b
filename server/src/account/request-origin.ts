import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { addressBucket } from '../limits/rate-limit.ts'

/** Where a request comes from, as far as the account log stores it. */
export interface RequestOrigin {
  /** The family of the browser, without versions. */
  browser: string
  /** The network of the address, never the address itself: /24 of IPv4, /48 of IPv6; null for an address of another form. */
  network: string | null
}

export const originOf = ({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>): RequestOrigin => ({
  browser: browserFamily(headers['user-agent'] ?? ''),
  network: networkOf(ip),
})

/** The first that matches: most browsers also state the names of those that they are compatible with. */
const families: [name: string, pattern: RegExp][] = [
  ['Edge', /\b(Edg|EdgA|EdgiOS)\//],
  ['Opera', /\b(OPR|Opera|OPT)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*\bSafari\//],
]

/** Longer than any browser's, and short enough for patterns that backtrack. */
const userAgentLength = 300

export function browserFamily(userAgent: string): string {
  const text = userAgent.slice(0, userAgentLength)
  return families.find(([, pattern]) => pattern.test(text))?.[0] ?? 'Other browser'
}

export function networkOf(address: string): string | null {
  const bucket = addressBucket(address)
  const [text = ''] = bucket.split('/')
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return `${text.split('.').slice(0, 3).join('.')}.0/24`
  if (!ipaddr.IPv6.isValid(text)) return null
  const network = new ipaddr.IPv6([...ipaddr.IPv6.parse(text).parts.slice(0, 3), 0, 0, 0, 0, 0])
  return `${network.toRFC5952String()}/48`
}
