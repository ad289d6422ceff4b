import {
  type CommitFact,
  type Contract,
  commitFact,
  deleteFact,
  type EraseFact,
  eraseFact,
  eventFact,
  type FactOp,
  type FactResource,
  factKeys,
  factOps,
  factResources,
  putFact,
  type RedactableResource,
  redactableResources,
  redactFact,
  resetFact,
  snapshotFact,
} from '@chancery/contract'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { GameEvent } from '../events/record.ts'
import type { Change, Erasure, Redaction, Refusal, Reset, Snapshot } from '../store/batch.ts'
import { pointerTo } from './parse-fact.ts'

/** A line of the stream that is as it should be. */
export type CheckedFact =
  | { op: 'change'; resource: FactResource; change: Change }
  | { op: 'event'; event: GameEvent }
  | { op: 'snapshot'; snapshot: Snapshot }
  | { op: 'redact'; redaction: Redaction }
  | { op: 'erase'; erasure: Erasure }
  | { op: 'reset'; reset: Reset }
  | { op: 'commit'; commit: CommitFact | Refusal }

/** Checks one fact against the contract. Never throws: a fact is good, or it says what is wrong with it and where. */
export type FactChecker = (value: unknown, line: number) => CheckedFact | Refusal

export const isRefusal = <C extends object>(checked: C | Refusal): checked is Refusal => 'reason' in checked

interface Check {
  Check(value: unknown): boolean
  Errors(value: unknown): { keyword: string; instancePath: string; params: object; message: string }[]
}

const nameAfterErasure = 'Erased nation'

export function createFactChecker(contract: Contract): FactChecker {
  const { factSchemas, redactionSchemas, eventKinds } = contract
  const puts = byName(factResources, name => putFact(name, factSchemas[name]))
  const redactions = byName(redactableResources, name => redactFact(name, redactionSchemas[name]))
  const sentKinds = Object.entries(eventKinds).filter(([, kind]) => !kind.isDerived)
  const events = new Map(sentKinds.map(([type, kind]) => [type, compile(eventFact(type, kind))]))
  const deletes = compile(deleteFact(factResources))
  const snapshots = compile(snapshotFact(factResources))
  const erasures = compile(eraseFact)
  const resets = compile(resetFact(factSchemas.era, factSchemas.era))
  const commits = compile(commitFact)

  /** A fact that its check has passed, read as `read` does. */
  const passing = <C>(check: Check, fact: object, line: number, read: () => C): C | Refusal =>
    check.Check(fact) ? read() : firstProblem(check, fact, line)

  const readers: Record<FactOp, (fact: Fact, line: number) => CheckedFact | Refusal> = {
    put(fact, line) {
      const check = puts.get(fact.resource as FactResource)
      if (!check) return unknownWord(line, '/resource', factResources)
      return passing(check, fact, line, () => {
        const resource = fact.resource as FactResource
        const data = fact.data as Record<string, unknown>
        const key = String(data[factKeys[resource]])
        return { op: 'change', resource, change: { line, op: 'put', key, data, at: fact.at } }
      })
    },
    delete: (fact, line) =>
      passing(deletes, fact, line, () => {
        const change = { line, op: 'delete' as const, key: String(fact.id), data: {}, at: fact.at }
        return { op: 'change', resource: fact.resource as FactResource, change }
      }),
    event(fact, line) {
      const check = events.get(fact.data?.type as string)
      if (!check) return unknownWord(line, '/data/type', [...events.keys()])
      return passing(check, fact, line, () => ({
        op: 'event',
        event: { ...(fact.data as unknown as GameEvent), line },
      }))
    },
    snapshot: (fact, line) =>
      passing(snapshots, fact, line, () => {
        const { resource, except = [], allow_deletes = false, at } = fact
        return {
          op: 'snapshot',
          snapshot: { line, resource: resource as FactResource, except, allowsDeletes: allow_deletes, at },
        }
      }),
    redact(fact, line) {
      const check = redactions.get(fact.resource as RedactableResource)
      if (!check) return unknownWord(line, '/resource', redactableResources)
      return passing(check, fact, line, () => {
        const { resource, id: key, data } = fact as unknown as Omit<Redaction, 'key'> & { id: string }
        return { op: 'redact', redaction: { line, resource, key, data } }
      })
    },
    erase: (fact, line) =>
      passing(erasures, fact, line, () => {
        const { player, nations = [], name = nameAfterErasure } = fact as unknown as EraseFact
        return { op: 'erase', erasure: { line, player, nations, name } }
      }),
    reset: (fact, line) =>
      passing(resets, fact, line, () => {
        const { ended, next, at } = fact as unknown as Omit<Reset, 'line'>
        return { op: 'reset', reset: { line, ended, next, at } }
      }),
    // Also a wrong commit ends its batch: the facts behind it are another's.
    commit: (fact, line) => ({
      op: 'commit',
      commit: passing(commits, fact, line, () => fact as unknown as CommitFact),
    }),
  }

  return (value, line) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { line, path: '', reason: 'a fact is a JSON object' }
    }
    const fact = value as Fact
    const op = factOps.find(known => known === fact.op)
    return op ? readers[op](fact, line) : unknownWord(line, '/op', factOps)
  }
}

/** What a fact may hold, before it is known whether it does. */
interface Fact {
  op?: unknown
  resource?: unknown
  data?: Record<string, unknown>
  id?: unknown
  at?: string
  except?: string[]
  allow_deletes?: boolean
}

const compile = (schema: TSchema): Check => Compile(schema) as unknown as Check

const byName = <N extends string>(names: readonly N[], schemaOf: (name: N) => TSchema) =>
  new Map(names.map(name => [name, compile(schemaOf(name))]))

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

const firstOf = (names: unknown) => (Array.isArray(names) ? String(names[0]) : '')
