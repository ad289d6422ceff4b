import { createHash, randomInt } from 'node:crypto'
import { limits } from '@chancery/contract'

declare const codeHash: unique symbol
/** SHA-256 of a verification code: the only form in which it is stored. */
export type CodeHash = Buffer & { readonly [codeHash]: true }

const form = new RegExp(`^[${limits.codeAlphabet}]{${limits.codeLength}}$`)

/** A new code. `randomInt` draws without modulo bias from the system's secure source. */
export function generateCode(): string {
  const draw = () => limits.codeAlphabet[randomInt(limits.codeAlphabet.length)]
  return Array.from({ length: limits.codeLength }, draw).join('')
}

/** The settings page shows a code in two halves, and people type the gap as a blank or a dash. */
const separators = /[\s\p{Dash_Punctuation}\u2212]/gu
/** Room for a separator around each character. */
const typedLengthMax = 2 * limits.codeLength + 1

/**
 * The hash of a code as it was typed, in upper or lower case, with or without blanks and dashes; undefined for a text that is not of the
 * form of codes. Every code is read here.
 */
export function hashCode(typed: string): CodeHash | undefined {
  if (typed.length > typedLengthMax) return undefined
  // Only ASCII is folded: 'ı' and 'ſ' have upper-case letters of the alphabet but are others.
  const text = typed.replace(separators, '').replace(/[a-z]/g, letter => letter.toUpperCase())
  return form.test(text) ? (createHash('sha256').update(text).digest() as CodeHash) : undefined
}

/** The hashes of all texts in a longer one that have the form of codes, also of codes that are typed in parts. */
export function hashCodesIn(text: string): CodeHash[] {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return words.flatMap((_, first) => {
    let joined = ''
    for (let next = first; next < words.length && joined.length < limits.codeLength; next += 1)
      joined += words[next]
    return hashCode(joined) ?? []
  })
}
