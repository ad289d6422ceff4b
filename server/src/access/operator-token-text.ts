import { createHash, randomBytes } from 'node:crypto'

declare const operatorTokenHash: unique symbol
/** SHA-256 of an operator token: what is stored, and all that is. */
export type OperatorTokenHash = Buffer & { readonly [operatorTokenHash]: true }

/** A new operator token: `cho_` and 43 characters, 256 random bits. */
export const generateOperatorToken = (): string => `cho_${randomBytes(32).toString('base64url')}`

/** Whether a text can be a token that was made here. Anything else is told without a look-up. */
export const isOperatorTokenText = (text: string): boolean => /^cho_[A-Za-z0-9_-]{43}$/.test(text)

export const hashOperatorToken = (text: string): OperatorTokenHash =>
  createHash('sha256').update(text).digest() as OperatorTokenHash
