import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

declare const tokenHash: unique symbol
/** SHA-256 of the token of a session or of a hand-over link: what is stored, and all that is. */
export type TokenHash = Buffer & { readonly [tokenHash]: true }

const tokenBytes = 32
const form = /^[A-Za-z0-9_-]{43}$/

/** A new token: 256 random bits. */
export const makeToken = (): string => randomBytes(tokenBytes).toString('base64url')

/** The hash of a token; undefined where no token looks like that. Tokens are found by it, so that no look-up compares secrets. */
export const hashToken = (text: string): TokenHash | undefined =>
  form.test(text) ? (createHash('sha256').update(text).digest() as TokenHash) : undefined

/** What a session's page sends with every change. It follows from the token, which no other origin can read, and does not give it away. */
export const csrfTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('chancery csrf').digest('base64url')

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSameText(one: string, other: string): boolean {
  const [first, second] = [one, other].map(text => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
