import {
  type CommitFact,
  type Contract,
  commitFact,
  deleteFact,
  eventFact,
  type FactResource,
  factKeys,
  factOps,
  factResources,
  putFact,
} from '@chancery/contract'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { GameEvent } from '../events/record.ts'
import type { Change, Refusal } from '../store/batch.ts'

/** A line of the stream that is as it should be. */
export type CheckedFact =
  | { op: 'change'; resource: FactResource; change: Change }
  | { op: 'event'; event: GameEvent }
  | { op: 'commit'; commit: CommitFact | Refusal }

/** Checks one fact against the contract. Never throws: a fact is good, or it says what is wrong with it and where. */
export type FactChecker = (value: unknown, line: number) => CheckedFact | Refusal

export const isRefusal = <C extends object>(checked: C | Refusal): checked is Refusal => 'reason' in checked

interface Check {
  Check(value: unknown): boolean
  Errors(value: unknown): { keyword: string; instancePath: string; params: object; message: string }[]
}

export function createFactChecker(contract: Contract): FactChecker {
  const compile = (schema: TSchema): Check => Compile(schema) as unknown as Check
  const puts = new Map(
    factResources.map(name => [name as string, compile(putFact(name, contract.factSchemas[name]))]),
  )
  const deletes = compile(deleteFact(factResources))
  const commits = compile(commitFact)
  const events = new Map(
    Object.entries(contract.eventKinds)
      .filter(([, kind]) => !kind.isDerived)
      .map(([type, kind]) => [type, compile(eventFact(type, kind))]),
  )

  return (value, line) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { line, path: '', reason: 'a fact is a JSON object' }
    }
    const fact = value as {
      op?: unknown
      resource?: unknown
      data?: Record<string, unknown>
      id?: string
      at?: string
    }
    switch (fact.op) {
      case 'put': {
        const check = typeof fact.resource === 'string' ? puts.get(fact.resource) : undefined
        if (!check) return unknownWord(line, '/resource', factResources)
        if (!check.Check(fact)) return firstProblem(check, fact, line)
        const resource = fact.resource as FactResource
        const data = fact.data ?? {}
        const change = { line, op: 'put' as const, key: String(data[factKeys[resource]]), data, at: fact.at }
        return { op: 'change', resource, change }
      }
      case 'delete': {
        if (!deletes.Check(fact)) return firstProblem(deletes, fact, line)
        const change = { line, op: 'delete' as const, key: String(fact.id), data: {}, at: fact.at }
        return { op: 'change', resource: fact.resource as FactResource, change }
      }
      case 'event': {
        const type = fact.data?.type
        const check = typeof type === 'string' ? events.get(type) : undefined
        if (!check) return unknownWord(line, '/data/type', [...events.keys()])
        if (!check.Check(fact)) return firstProblem(check, fact, line)
        return { op: 'event', event: { ...(fact.data as unknown as GameEvent), line } }
      }
      case 'commit':
        // Also a wrong commit ends its batch: the facts behind it are another's.
        return {
          op: 'commit',
          commit: commits.Check(fact) ? (fact as unknown as CommitFact) : firstProblem(commits, fact, line),
        }
      default:
        return unknownWord(line, '/op', factOps)
    }
  }
}

const unknownWord = (line: number, path: string, allowed: readonly string[]): Refusal => ({
  line,
  path,
  reason: `must be one of ${allowed.join(', ')}`,
})

function firstProblem(check: Check, value: unknown, line: number): Refusal {
  const error = check.Errors(value).find(({ keyword }) => keyword !== 'boolean')
  if (!error) return { line, path: '', reason: 'does not match the contract' }
  const params = error.params as Record<string, unknown>
  const path = error.instancePath
  switch (error.keyword) {
    case 'additionalProperties':
      return {
        line,
        path: `${path}/${pointerTo(firstOf(params.additionalProperties))}`,
        reason: 'unknown field',
      }
    case 'required':
      return { line, path: `${path}/${firstOf(params.requiredProperties)}`, reason: 'is required' }
    case 'enum':
      return {
        line,
        path,
        reason: `must be one of ${(params.allowedValues as unknown[]).filter(word => word !== null).join(', ')}`,
      }
    default:
      return { line, path, reason: error.message }
  }
}

/** A name as JSON pointers write it. */
const pointerTo = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

const firstOf = (names: unknown) => (Array.isArray(names) ? String(names[0]) : '')

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/

/**
 * Parses a line as JSON. Text that no database can keep is refused here: NUL characters, and halves of surrogate pairs
 * (their escapes; unescaped they are not UTF-8).
 */
export function parseFact(text: string, line: number): { value: unknown } | Refusal {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/ in JSON.*|, ".*/, '') : ''
    return { line, path: '', reason: `not JSON: ${detail}` }
  }
  if (suspiciousEscape.test(text)) {
    if (isTooDeep(value)) return tooDeep(line)
    const path = unkeepable(value, '')
    if (path !== undefined)
      return { line, path, reason: 'text with a NUL character or half a surrogate pair' }
  }
  return { value }
}

const depthMax = 32

/** Whether a value is nested deeper than any fact is. Walking all of it, or writing it, would exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= depthMax || Object.values(value).some(member => isTooDeep(member, depth + 1))
}

export const tooDeep = (line: number): Refusal => ({ line, path: '', reason: 'nested deeper than any fact' })

/** The place of the first text that cannot be kept, or undefined. */
function unkeepable(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = unkeepable(key, path) ?? unkeepable(member, `${path}/${pointerTo(key)}`)
    if (found !== undefined) return found
  }
  return undefined
}
