import { limits } from '@chancery/contract'

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

/** Browsers keep a name with this prefix for the host itself, over TLS: no neighbouring domain can set one. */
const nameFor = (publicUrl: string) => (isSecure(publicUrl) ? '__Host-chancery_session' : 'chancery_session')

const attributesFor = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}`

const maxAgeSeconds = limits.sessionLifetimeHours * 3600

/** The Set-Cookie header that begins a session in a browser. */
export const sessionCookie = (publicUrl: string, token: string): string =>
  `${nameFor(publicUrl)}=${token}; Max-Age=${maxAgeSeconds}; ${attributesFor(publicUrl)}`

/** The Set-Cookie header that ends it. */
export const endedCookie = (publicUrl: string): string =>
  `${nameFor(publicUrl)}=; Max-Age=0; ${attributesFor(publicUrl)}`

/** The session's token that a browser presents. Of several none is taken: one of them was set by somebody else. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const name = nameFor(publicUrl)
  const values = header.split(';').flatMap(part => {
    const [key, ...rest] = part.trim().split('=')
    return key === name ? [rest.join('=')] : []
  })
  return values.length === 1 ? values[0] : undefined
}
