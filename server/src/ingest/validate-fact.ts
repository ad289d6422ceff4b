import {
  type CommitFact,
  type Contract,
  commitFact,
  deleteFact,
  describeErrors,
  type EraseFact,
  eraseFact,
  eventFact,
  type FactOp,
  type FactResource,
  factOps,
  factResources,
  isPublicPlace,
  primaryKeys,
  putFact,
  type RedactableResource,
  redactableResources,
  redactFact,
  resetFact,
  type SchemaError,
  snapshotFact,
  valueText,
} from '@chancery/contract'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import type { Change, Erasure, GameEvent, Redaction, Rejection, Reset, Snapshot } from './batch.ts'

/** A valid fact. */
export type ValidFact =
  | { op: 'change'; resource: FactResource; change: Change }
  | { op: 'event'; event: GameEvent }
  | { op: 'snapshot'; snapshot: Snapshot }
  | { op: 'redact'; redaction: Redaction }
  | { op: 'erase'; erasure: Erasure }
  | { op: 'reset'; reset: Reset }
  | { op: 'commit'; commit: CommitFact | Rejection[] }

/** Validates one fact against the contract. Never throws: returns the fact, or at least one rejection. */
export type FactValidator = (value: unknown, line: number) => ValidFact | Rejection[]

export const isRejected = <C extends object>(checked: C | Rejection[]): checked is Rejection[] =>
  Array.isArray(checked)

/** More rejections of one fact are not reported. */
const rejectionsOfFactMax = 20
/** TypeBox stops after this many errors; it reports some twice. */
const errorsMax = 1_000

interface CompiledSchema {
  schema: TSchema
  /** Whether all members of the fact are public: they have no classes. */
  isPublic: boolean
  Check(value: unknown): boolean
  Errors(value: unknown): SchemaError[]
}

const nameAfterErasure = 'Erased nation'

export function createFactValidator(contract: Contract): FactValidator {
  const { factSchemas, redactionSchemas, eventKinds } = contract
  const puts = byName(factResources, name => putFact(name, factSchemas[name]))
  const redactions = byName(redactableResources, name => redactFact(name, redactionSchemas[name]))
  const sentKinds = Object.entries(eventKinds).filter(([, kind]) => !kind.isDerived)
  const events = new Map(sentKinds.map(([type, kind]) => [type, compile(eventFact(type, kind), true)]))
  const deletes = compile(deleteFact(factResources))
  const snapshots = compile(snapshotFact(factResources))
  const erasures = compile(eraseFact)
  const resets = compile(resetFact(factSchemas.era, factSchemas.era))
  const commits = compile(commitFact)

  /** Reads a fact if it is valid. */
  const ifValid = <C>(check: CompiledSchema, fact: object, line: number, read: () => C): C | Rejection[] =>
    check.Check(fact) ? read() : rejectionsOf(check, fact, line)

  const readers: Record<FactOp, (fact: Fact, line: number) => ValidFact | Rejection[]> = {
    put(fact, line) {
      const check = puts.get(fact.resource as FactResource)
      if (!check) return notOneOf(line, '/resource', fact.resource, factResources)
      return ifValid(check, fact, line, () => {
        const resource = fact.resource as FactResource
        const data = fact.data as Record<string, unknown>
        const key = String(data[primaryKeys[resource]])
        return { op: 'change', resource, change: { line, op: 'put', key, data, at: fact.at } }
      })
    },
    delete: (fact, line) =>
      ifValid(deletes, fact, line, () => {
        const change = { line, op: 'delete' as const, key: String(fact.id), data: {}, at: fact.at }
        return { op: 'change', resource: fact.resource as FactResource, change }
      }),
    event(fact, line) {
      const check = events.get(fact.data?.type as string)
      if (!check) return notOneOf(line, '/data/type', fact.data?.type, [...events.keys()])
      return ifValid(check, fact, line, () => ({
        op: 'event',
        event: { ...(fact.data as unknown as GameEvent), line },
      }))
    },
    snapshot: (fact, line) =>
      ifValid(snapshots, fact, line, () => {
        const { resource, except = [], allow_deletes = false, at } = fact
        return {
          op: 'snapshot',
          snapshot: { line, resource: resource as FactResource, except, allowsDeletes: allow_deletes, at },
        }
      }),
    redact(fact, line) {
      const check = redactions.get(fact.resource as RedactableResource)
      if (!check) return notOneOf(line, '/resource', fact.resource, redactableResources)
      return ifValid(check, fact, line, () => {
        const { resource, id: key, data } = fact as unknown as Omit<Redaction, 'key'> & { id: string }
        return { op: 'redact', redaction: { line, resource, key, data } }
      })
    },
    erase: (fact, line) =>
      ifValid(erasures, fact, line, () => {
        const { player, nations = [], name = nameAfterErasure } = fact as unknown as EraseFact
        return { op: 'erase', erasure: { line, player, nations, name } }
      }),
    reset: (fact, line) =>
      ifValid(resets, fact, line, () => {
        const { ended, next, at } = fact as unknown as Omit<Reset, 'line'>
        return { op: 'reset', reset: { line, ended, next, at } }
      }),
    // An invalid commit ends its batch too: the facts behind it belong to the next one.
    commit: (fact, line) => ({
      op: 'commit',
      commit: ifValid(commits, fact, line, () => fact as unknown as CommitFact),
    }),
  }

  return (value, line) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ line, path: '', reason: 'a fact must be a JSON object' }]
    }
    const fact = value as Fact
    const op = factOps.find(known => known === fact.op)
    return op ? readers[op](fact, line) : notOneOf(line, '/op', fact.op, factOps)
  }
}

/** A fact before it is validated. */
interface Fact {
  op?: unknown
  resource?: unknown
  data?: Record<string, unknown>
  id?: unknown
  at?: string
  except?: string[]
  allow_deletes?: boolean
}

function compile(schema: TSchema, isPublic = false): CompiledSchema {
  const compiled = Compile(schema)
  return {
    schema,
    isPublic,
    Check: value => compiled.Check(value),
    Errors(value) {
      const { maxErrors } = Settings.Get()
      Settings.Set({ maxErrors: errorsMax })
      try {
        return compiled.Errors(value)
      } finally {
        Settings.Set({ maxErrors })
      }
    },
  }
}

const byName = <N extends string>(names: readonly N[], schemaOf: (name: N) => TSchema) =>
  new Map(names.map(name => [name, compile(schemaOf(name))]))

const notOneOf = (line: number, path: string, word: unknown, allowed: readonly string[]): Rejection[] => [
  {
    line,
    path,
    reason: `must be one of ${allowed.join(', ')}`,
    ...(word === undefined ? {} : { value: valueText(word) }),
  },
]

function rejectionsOf(check: CompiledSchema, fact: object, line: number): Rejection[] {
  const problems = describeErrors(check.schema, check.Errors(fact)).slice(0, rejectionsOfFactMax)
  if (problems.length === 0) return [{ line, path: '', reason: `has more than ${errorsMax} unknown fields` }]
  return problems.map(problem => {
    const value = valueAt(fact, problem.path)
    const isShown =
      value !== undefined && (isTimeOfFact(problem.path) || isPublicPlace(check.schema, problem.path, check))
    return { line, ...problem, ...(isShown ? { value: valueText(value) } : {}) }
  })
}

/** The time of a fact is public: it is in the event log. */
const isTimeOfFact = (path: string) => path === '/at'

const valueAt = (fact: object, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (inside, step) =>
        typeof inside === 'object' && inside !== null && Object.hasOwn(inside, step)
          ? (inside as Record<string, unknown>)[step]
          : undefined,
      fact,
    )

const depthMax = 32

/** Whether a value is nested deeper than any valid fact. To walk or to write it would exhaust the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth >= depthMax || Object.values(value).some(member => isTooDeep(member, depth + 1))
}

export const tooDeep = (line: number): Rejection => ({
  line,
  path: '',
  reason: `must not be nested deeper than ${depthMax} levels`,
})
