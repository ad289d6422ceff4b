import { type Scope, scopeNames } from '@chancery/contract'
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

export function scopeList(text: string): Scope[] {
  const words = text.split(',').map(word => word.trim())
  return [...new Set(words)].map(word => {
    const scope = scopeNames.find(name => name === word)
    if (scope === undefined)
      throw new InvalidArgumentError(
        `${word === '' ? 'An empty word' : word} is no scope. The scopes are ${scopeNames.join(', ')}.`,
      )
    return scope
  })
}

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
