import {
  type FactResource,
  factResources,
  type OperatorRole,
  operatorRoleNames,
  type Scope,
  scopeNames,
} from '@chancery/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { UsageError } from './command-error.ts'

/** A parser of integers within bounds. */
export const integer =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(
        maximum === Number.MAX_SAFE_INTEGER
          ? `It must be an integer of at least ${minimum}.`
          : `It must be an integer from ${minimum} to ${maximum}.`,
      )
    return value
  }

export function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value > 86_400)
    throw new InvalidArgumentError('It must be a number of seconds from 0 to 86400.')
  return value
}

export const minutes = integer(1, 1_440)

/** A time, converted to RFC 3339 in UTC. */
export function time(text: string): string {
  const value = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(value))
    throw new InvalidArgumentError('It must be a time such as 2026-03-01T12:00:00Z, or a day (UTC).')
  return new Date(value).toISOString().replace('.000Z', 'Z')
}

/** A parser of text that matches a pattern; `rule` describes it. */
const matching =
  (pattern: RegExp, rule: string) =>
  (text: string): string => {
    if (!pattern.test(text)) throw new InvalidArgumentError(rule)
    return text
  }

export const feedName = matching(/^[A-Za-z0-9._-]{1,64}$/, 'It must be 1 to 64 of A-Z a-z 0-9 . _ -')
export const sqlName = matching(
  /^[a-z_][a-z0-9_]{0,62}$/,
  'It must be a name of lowercase letters, digits and _.',
)

/** A parser of comma-separated names out of a list. */
const namesOf =
  <N extends string>(kind: string, known: readonly N[]) =>
  (text: string): N[] => {
    const names = text.split(',').map(name => name.trim())
    return [...new Set(names)].map(given => {
      const found = known.find(name => name === given)
      if (found === undefined)
        throw new InvalidArgumentError(
          `Unknown ${kind} ${given === '' ? '(empty)' : given}. The ${kind}s are ${known.join(', ')}.`,
        )
      return found
    })
  }

export const scopeList: (text: string) => Scope[] = namesOf('scope', scopeNames)
export const roleList: (text: string) => OperatorRole[] = namesOf('role', operatorRoleNames)

export const resourceList: (text: string) => FactResource[] = namesOf('resource', factResources)

/** A parser of comma-separated text, without duplicates. */
export function wordList(text: string): string[] {
  const words = text.split(',').map(word => word.trim())
  if (words.includes(''))
    throw new InvalidArgumentError('It must be a comma-separated list without empty items.')
  return [...new Set(words)]
}

/** Scopes in a table: `all` for all. */
export const scopeText = (scopes: readonly string[]) =>
  scopes.length === scopeNames.length ? 'all' : scopes.join(',')

/** A limit of requests per minute; null for `none`, the default limit. */
export function limitOrNone(text: string): number | null {
  return text === 'none' ? null : integer(1, 1_000_000)(text)
}

/** The options that name a player. */
export interface Owner {
  nation?: string
  player?: string
}

/** The player in the form of the operator API. Throws a UsageError if both options are given. */
export function ownerOf({
  nation,
  player,
}: Owner): { nation_id: string } | { player_id: string } | undefined {
  if (nation !== undefined && player !== undefined)
    throw new UsageError('give either --nation or --player, not both')
  if (nation !== undefined) return { nation_id: nation }
  return player === undefined ? undefined : { player_id: player }
}

/** Throws a UsageError if no player is named; `item` is for the message. */
export function requiredOwnerOf(options: Owner, item: string) {
  const owner = ownerOf(options)
  if (!owner) throw new UsageError(`name the owner of the ${item}: --nation ID or --player ID`)
  return owner
}

/** The options of a list of the most active callers. */
export interface TopOptions {
  hours: number
  limit: number
}

export const withTopOptions = <C extends Command>(command: C, hoursMax: number): C =>
  command
    .option('--hours <n>', 'how far back, in clock hours', integer(1, hoursMax), 24)
    .option('--limit <n>', 'how many', integer(1, 1_000), 20)
