import { isIP } from 'node:net'
import { isPublicHostName, webhooks } from '@chancery/contract'
import { blockedPorts } from '../outgoing/blocked-ports.ts'
import { isPublicAddress } from '../outgoing/public-address.ts'

/**
 * Reads the address of an endpoint: the URL as it will be called, or one sentence for whoever typed it that says what is wrong.
 * It looks at what is written only; what a name stands for is judged on every connection.
 */
export function checkEndpointUrl(text: string, { allowsLocal }: { allowsLocal: boolean }): URL | string {
  const tooLong = `The address is longer than ${webhooks.urlLengthMax} characters.`
  if (text.length > webhooks.urlLengthMax) return tooLong
  const url = URL.parse(text)
  if (!url) return 'This is not a complete address: it begins with https:// and then names a host.'
  // Escapes make it longer.
  if (url.href.length > webhooks.urlLengthMax) return tooLong
  return wrongPart(url, allowsLocal) ?? (allowsLocal ? undefined : wrongHost(url.hostname)) ?? url
}

function wrongPart(url: URL, allowsLocal: boolean): string | undefined {
  const { protocol, port } = url
  if (protocol !== 'https:' && !(allowsLocal && protocol === 'http:'))
    return `The address must begin with https://${allowsLocal ? ' or http://' : ''}.`
  if (url.username || url.password)
    return 'The address must not contain a user name or password: check the signature of a message to know who sent it.'
  if (url.href.includes('#')) return 'The address must not have a part after #: it would not be sent.'
  if (port && blockedPorts.has(Number(port)))
    return `Port ${port} belongs to another service, which no message may be sent to.`
  if (url.hostname.endsWith('.')) return 'The name of the host must not end with a dot.'
  return undefined
}

function wrongHost(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(literal))
    return isPublicAddress(literal) ? undefined : 'The address must be reachable from the public internet.'
  if (!isPublicHostName(hostname))
    return 'The name of the host must be one of the public internet, such as hooks.example.com.'
  return undefined
}
