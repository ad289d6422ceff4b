import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { limits } from '@chancery/contract'
import { basePathOf } from '../../http/base-path.ts'

declare const tokenHash: unique symbol
/** SHA-256 of the token of a session or a handover link. Only the hash is stored. */
export type TokenHash = Buffer & { readonly [tokenHash]: true }

const tokenBytes = 32
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/** A new token: 256 random bits. */
export const generateToken = (): string => randomBytes(tokenBytes).toString('base64url')

/** The hash of a token; undefined for malformed text. Tokens are found by their hash, so that no look-up compares secrets. */
export const hashToken = (text: string): TokenHash | undefined =>
  tokenForm.test(text) ? (createHash('sha256').update(text).digest() as TokenHash) : undefined

/** The page sends it with every change. Derived one way from the session token, which no other origin can read. */
export const csrfTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('chancery csrf').digest('base64url')

/** Constant-time comparison. */
export function isEqualText(one: string, other: string): boolean {
  const [first, second] = [one, other].map(text => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

/**
 * Port and base path are in the name, so that two services on one host do not overwrite each other's cookie. Over TLS it has the prefix
 * that browsers reserve for the host itself, so that no neighbouring domain can set it; a cookie of one path may not have that prefix.
 */
export function cookieName(publicUrl: string): string {
  const basePath = basePathOf(publicUrl)
  const prefix = isSecure(publicUrl) ? (basePath === '' ? '__Host-' : '__Secure-') : ''
  const { port } = new URL(publicUrl)
  return `${prefix}chancery_session${port && `_${port}`}${basePath.replaceAll('/', '.')}`
}

/** A cookie of one path is not sent to the services at other paths. */
const cookieAttributes = (publicUrl: string) =>
  `Path=${basePathOf(publicUrl)}/; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}`

const maxAgeSeconds = limits.sessionLifetimeHours * 3600

/** The Set-Cookie header that starts a session. */
export const sessionCookie = (publicUrl: string, token: string): string =>
  `${cookieName(publicUrl)}=${token}; Max-Age=${maxAgeSeconds}; ${cookieAttributes(publicUrl)}`

/** The Set-Cookie header that ends a session. */
export const endedCookie = (publicUrl: string): string =>
  `${cookieName(publicUrl)}=; Max-Age=0; ${cookieAttributes(publicUrl)}`

/** The session token in a Cookie header. Undefined for several, because another site set one of them. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const name = cookieName(publicUrl)
  const values = header.split(';').flatMap(part => {
    const [key, ...rest] = part.trim().split('=')
    return key === name ? [rest.join('=')] : []
  })
  return values.length === 1 ? values[0] : undefined
}
