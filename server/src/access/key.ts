/**
 * Access: API keys of players and suspensions. Start here, then `key-cache.ts` (look-up of a request's key)
 * and `store.ts` (changes). Keys are stored as hashes only; a revocation is effective in every process within a second.
 */
import { hash, randomInt } from 'node:crypto'
import type { Scope } from '@chancery/contract'

/** The key of a request, without its secret. */
export interface Key {
  id: string
  playerId: string
  name: string
  scopes: ReadonlySet<Scope>
  /** Requests per window; null for the default limit. */
  callLimit: number | null
  /** The rate-limit window: its own id, or that of the first key in a series of rotations. */
  windowId: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

/** Who sends a request. */
export type Viewer = { kind: 'anonymous' } | { kind: 'key'; key: Key }

export const anonymous: Viewer = { kind: 'anonymous' }

declare const keyHash: unique symbol
/** SHA-256 of a key: the only form in which it is stored. */
export type KeyHash = Buffer & { readonly [keyHash]: true }

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'chk_'
const secretLength = 32
const checksumLength = 6
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`)

/** A new key: `chk_`, 32 random base62 characters (190 bits), and a checksum of 6 by which secret scanners recognize it. */
export function generateKey(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return prefix + secret + checksumOf(secret)
}

/** Whether a text has the form and the checksum of a key. Typos are detected without a database query. */
export function isKeyText(text: string): boolean {
  if (!form.test(text)) return false
  const secret = text.slice(prefix.length, prefix.length + secretLength)
  return text.slice(-checksumLength) === checksumOf(secret)
}

const shownLength = 8

/** The first characters of a key: enough to recognize it, with 28 secret characters left out. */
export const prefixOfKey = (text: string): string => text.slice(0, shownLength)

/** The hash of a key as text, a character per byte. Computed for every request with a key: ten times as fast as a buffer. */
export const hashTextOfKey = (text: string): string => hash('sha256', text, 'binary')

export const hashOfText = (hashText: string): KeyHash => Buffer.from(hashText, 'binary') as KeyHash

export const hashKey = (text: string): KeyHash => hashOfText(hashTextOfKey(text))

function checksumOf(secret: string): string {
  let rest = Number.parseInt(hash('sha256', `chancery:${secret}`, 'hex').slice(0, 8), 16)
  let text = ''
  for (let place = 0; place < checksumLength; place += 1) {
    text += alphabet[rest % alphabet.length]
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
