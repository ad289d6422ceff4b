import {
  type FactResource,
  factResources,
  type OperatorRole,
  operatorRoleNames,
  type Scope,
  scopeNames,
} from '@chancery/contract'
import { InvalidArgumentError } from 'commander'

/** A parser of whole numbers within bounds. */
export const wholeNumber =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(
        maximum === Number.MAX_SAFE_INTEGER
          ? `It must be a whole number from ${minimum}.`
          : `It must be a whole number from ${minimum} to ${maximum}.`,
      )
    return value
  }

export function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds from 0 to 86400.')
  return value
}

/** A moment, written again as RFC 3339 in UTC. */
export function moment(text: string): string {
  const value = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(value))
    throw new InvalidArgumentError('It must be a moment such as 2026-03-01T12:00:00Z, or a day (UTC).')
  return new Date(value).toISOString().replace('.000Z', 'Z')
}

/** A parser of words of a form; `rule` says which. */
const word =
  (form: RegExp, rule: string) =>
  (text: string): string => {
    if (!form.test(text)) throw new InvalidArgumentError(rule)
    return text
  }

export const feedName = word(/^[A-Za-z0-9._-]{1,64}$/, 'It must be 1 to 64 of A-Z a-z 0-9 . _ -')
export const sqlName = word(/^[a-z_][a-z0-9_]{0,62}$/, 'It must be a name of small letters, digits and _.')

/** A parser of words between commas, each of them known. */
const knownWords =
  <W extends string>(kind: string, known: readonly W[]) =>
  (text: string): W[] => {
    const words = text.split(',').map(word => word.trim())
    return [...new Set(words)].map(word => {
      const found = known.find(name => name === word)
      if (found === undefined)
        throw new InvalidArgumentError(
          `${word === '' ? 'An empty word' : word} is no ${kind}. The ${kind}s are ${known.join(', ')}.`,
        )
      return found
    })
  }

export const scopeList: (text: string) => Scope[] = knownWords('scope', scopeNames)
export const roleList: (text: string) => OperatorRole[] = knownWords('role', operatorRoleNames)

export const resourceList: (text: string) => FactResource[] = knownWords('resource', factResources)

/** Words between commas, each once. */
export function wordList(text: string): string[] {
  const words = text.split(',').map(word => word.trim())
  if (words.includes(''))
    throw new InvalidArgumentError('It must be words between commas, none of them empty.')
  return [...new Set(words)]
}

/** Scopes as people read them. */
export const scopeText = (scopes: readonly string[]) =>
  scopes.length === scopeNames.length ? 'all' : scopes.join(',')

/** A limit of calls a minute; `none` gives back the usual one. */
export function limitOrNone(text: string): number | null {
  return text === 'none' ? null : wholeNumber(1, 1_000_000)(text)
}
