import { isAbsolute, resolve } from 'node:path'
import { nearestName } from '../http/nearest-name.ts'
import type { TlsFiles } from './certificates.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Which values a variable takes: in words for the error message, and as a parser that returns undefined for all others. */
export interface ValueType<T> {
  allowed: string
  parse(text: string): T | undefined
}

export const matching = (pattern: RegExp, allowed: string): ValueType<string> => ({
  allowed,
  parse: text => (pattern.test(text) ? text : undefined),
})

export const oneOf = <T extends string>(values: readonly T[]): ValueType<T> => ({
  allowed: `one of ${values.join(', ')}`,
  parse: text => values.find(value => value === text),
})

export const integer = (min: number, max: number, allowed: string): ValueType<number> => ({
  allowed,
  parse: text =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
})

export const url = (protocols: readonly string[], allowed: string): ValueType<string> => ({
  allowed,
  parse: text => (URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined),
})

const path = (allowed: string): ValueType<string> => ({
  allowed,
  parse: text => (isAbsolute(text) ? text : resolve(text)),
})

export const file = path('a file')
export const directory = path('a directory')
export const hostName = matching(/./, 'an address or a host name')
export const port = integer(0, 65_535, 'a port from 0 to 65535; 0 takes a free one')
export const count = integer(1, 999_999_999, 'a whole number from 1')
export const flag: ValueType<boolean> = {
  allowed: 'true or false',
  parse: text => (text === 'true' ? true : text === 'false' ? false : undefined),
}

/** A variable with our prefix that nothing reads. */
export interface UnknownVariable {
  name: string
  /** The known name that it resembles. */
  nearest: string | undefined
}

/** Variables whose value is a secret, or contains a password. */
const secretNames = new Set([
  'CHANCERY_ADMIN_TOKEN',
  'CHANCERY_DATABASE_URL',
  'CHANCERY_READ_DATABASE_URL',
  'CHANCERY_VALKEY_URL',
  'CHANCERY_OPERATOR_WEBHOOK_URL',
])

/** Read by other commands, by clients, by the compose file, and by tests. */
const readElsewhere =
  /^CHANCERY_(OPERATOR_URL|GAME_DATABASE_URL|URL|KEY|BASE|WEBHOOK_SECRET|SITE|VERSION|SEED|REQUIRE_(?:BROWSER|MARIADB)|(TEST|ACCEPTANCE)_.*)$/
const unknownMax = 20
const nameLengthMax = 64

/** Reads variables of an environment and collects a problem for each wrong value. An empty variable counts as not set. */
export function createVariableReader(env: Environment) {
  const problems: string[] = []
  const known = new Set<string>()

  function read<T, D>(name: string, type: ValueType<T>, fallback: D): T | D {
    known.add(name)
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = type.parse(text)
    if (value !== undefined) return value
    // A secret, also one in the wrong variable, must not end up in a log: only short plain words are quoted.
    const isQuotable = !secretNames.has(name) && /^[\w.:-]{1,40}$/.test(text)
    problems.push(`${name} must be ${type.allowed}${isQuotable ? `; it is "${text}"` : ''}`)
    return fallback
  }

  return {
    read,
    /** A certificate and its key: both or neither. */
    readTlsFiles(certName: string, keyName: string): TlsFiles | undefined {
      const certFile = read(certName, file, undefined)
      const keyFile = read(keyName, file, undefined)
      if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
      if (certFile !== undefined || keyFile !== undefined)
        problems.push(`${certFile === undefined ? certName : keyName}: is missing; set both or neither`)
      return undefined
    },
    /** Adds a problem of several variables together. */
    addProblem: (problem: string) => void problems.push(problem),
    problems: (): readonly string[] => problems,
    unknown: (): UnknownVariable[] =>
      Object.keys(env)
        .filter(name => name.startsWith('CHANCERY_') && !known.has(name) && !readElsewhere.test(name))
        .slice(0, unknownMax)
        .map(name => name.slice(0, nameLengthMax))
        .map(name => ({ name, nearest: nearestName(name, known) })),
  }
}
