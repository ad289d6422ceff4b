import { createHash, randomInt } from 'node:crypto'
import { limits } from '@chancery/contract'

declare const codeHash: unique symbol
/** SHA-256 of a verification code: what is stored, and all that is. */
export type CodeHash = Buffer & { readonly [codeHash]: true }

const form = new RegExp(`^[${limits.codeAlphabet}]{${limits.codeLength}}$`)

/** A new code. `randomInt` draws without modulo bias from the system's secure source. */
export function generateCode(): string {
  const draw = () => limits.codeAlphabet[randomInt(limits.codeAlphabet.length)]
  return Array.from({ length: limits.codeLength }, draw).join('')
}

/** The hash of a code as somebody typed it, or undefined where no code looks like that. */
export function hashCode(typed: string): CodeHash | undefined {
  // Only ASCII is folded: 'ı' and 'ſ' upper-case to letters of the alphabet, and are not them.
  const text = typed.replace(/[a-z]/g, letter => letter.toUpperCase())
  return form.test(text) ? (createHash('sha256').update(text).digest() as CodeHash) : undefined
}
