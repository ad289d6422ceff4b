import { isDeepStrictEqual } from 'node:util'
import {
  type Class,
  type Contract,
  defaultsOf,
  type FactResource,
  fieldNames,
  fillNulls,
  merge,
  primaryKeys,
  type Resource,
  requiredMembers,
} from '@chancery/contract'
import { type Batch, BatchRejectedError, type Change, type Rejection } from './batch.ts'

/** What one change did to one thing. `before` is undefined where it is new, `after` where it is gone. */
export interface Transition<T> {
  line: number
  key: string
  before: T | undefined
  after: T | undefined
  /** When it happened: what the fact said, else when it is logged. */
  at: string
}

/** How a resource keeps its things. `T` has the contract's field names; attributes come split by who may read them. */
export interface EntityStore<T> {
  resource: FactResource
  load(batch: Batch, keys: string[]): Promise<Map<string, T>>
  /** Fills in what the fact left to the world: names of the time, states that follow from others. */
  adjust?(batch: Batch, after: T, before: T | undefined, change: Change): Promise<void> | void
  save(batch: Batch, things: T[]): Promise<void>
  remove(batch: Batch, keys: string[]): Promise<void>
}

type Document = Record<string, unknown>

interface MergeRules {
  resource: Resource
  /** Fields that a new thing needs, and the members that each needs. */
  required: Record<string, string[]>
  defaults: Document
  /** Own fields that everybody may read: what moves updated_at. */
  publicNames: string[]
  timeNames: string[]
  attributes: ReturnType<typeof attributePlaces>
}

const rulesByContract = new WeakMap<Contract, Map<FactResource, MergeRules>>()

function rulesFor(contract: Contract, name: FactResource): MergeRules {
  let known = rulesByContract.get(contract)
  if (!known) {
    known = new Map()
    rulesByContract.set(contract, known)
  }
  let rules = known.get(name)
  if (!rules) {
    rules = makeRules(contract.resources[name])
    known.set(name, rules)
  }
  return rules
}

function makeRules(resource: Resource): MergeRules {
  const own = { ...resource, fields: { ...resource.fields, ...resource.factFields } }
  return {
    resource: own,
    required: requiredMembers(resource),
    defaults: defaultsOf(resource),
    publicNames: fieldNames(own, field => field['x-class'] === 'public' && !field['x-derived']),
    timeNames: fieldNames(own, field => (field as { format?: string }).format === 'date-time'),
    attributes: attributePlaces(resource),
  }
}

/**
 * Merges changes into what is known, in order, and writes the outcome.
 * Returns what each change did, so that a thing which changes twice in one batch is told of twice.
 */
export async function mergeChanges<T extends object>(
  batch: Batch,
  store: EntityStore<T>,
  changes: Change[],
): Promise<Transition<T>[]> {
  const rules = rulesFor(batch.contract, store.resource)
  const known = await store.load(batch, [...new Set(changes.map(change => change.key))])
  const current = new Map<string, T | undefined>(known)
  const transitions: Transition<T>[] = []
  const deleted = new Set<string>()
  const rejections: Rejection[] = []
  const refusedKeys = new Set<string>()
  for (const change of changes) {
    if (refusedKeys.has(change.key)) continue
    const before = current.get(change.key)
    const at = change.at ?? batch.loggedAt
    let after: T | undefined
    try {
      after = change.op === 'put' ? await put(batch, store, rules, before, change, at) : undefined
    } catch (error) {
      if (!(error instanceof BatchRejectedError)) throw error
      // The others are looked at too: whoever sends them learns of all mistakes at once.
      rejections.push(...error.rejections)
      refusedKeys.add(change.key)
      continue
    }
    if (before === undefined && after === undefined) continue
    if (before === undefined || after === undefined) batch.markWorldChanged()
    current.set(change.key, after)
    if (after === undefined && known.has(change.key)) deleted.add(change.key)
    transitions.push({ line: change.line, key: change.key, before, after, at })
  }
  if (rejections.length > 0) throw new BatchRejectedError(rejections)
  const alive = [...current].filter((entry): entry is [string, T] => entry[1] !== undefined)
  const changed = alive.filter(([key, thing]) => known.get(key) !== thing).map(([, thing]) => thing)
  // First: what is deleted and put in one chunk is as new as if a chunk had ended in between.
  await store.remove(batch, [...deleted])
  await store.save(batch, changed)
  return transitions
}

/** What changes deleted and did not make anew. */
export const deletionsOf = <T>(transitions: Transition<T>[]): Transition<T>[] =>
  lastOf(transitions).filter(({ after }) => after === undefined)

/** Keys of what changes deleted and made anew: wars of before count towards it. */
export function recreatedOf<T>(transitions: Transition<T>[]): string[] {
  const deleted = new Set(transitions.flatMap(({ key, after }) => (after === undefined ? [key] : [])))
  return lastOf(transitions).flatMap(({ key, after }) =>
    after !== undefined && deleted.has(key) ? [key] : [],
  )
}

const lastOf = <T>(transitions: Transition<T>[]): Transition<T>[] => [
  ...new Map(transitions.map(transition => [transition.key, transition])).values(),
]

async function put<T extends object>(
  batch: Batch,
  store: EntityStore<T>,
  rules: MergeRules,
  before: T | undefined,
  change: Change,
  at: string,
): Promise<T> {
  const said = prepare(rules, change.data)
  const start: Document = before ? (before as Document) : newEntity(rules, store.resource, change)
  const after: Document = { ...start }
  for (const [name, value] of Object.entries(said)) {
    const merged = merge(after[name], value)
    const schema = rules.resource.fields[name]
    after[name] = schema ? fillNulls(schema, merged) : merged
  }
  if (!before) {
    const missing = missingOf(rules, after)
    if (missing.length > 0)
      throw new BatchRejectedError(
        missing.map(name => ({
          line: change.line,
          path: `/data/${name.replace('.', '/')}`,
          reason: `a new ${store.resource} needs ${name}`,
        })),
      )
  }
  await store.adjust?.(batch, after as T, before, change)
  if (!before || rules.publicNames.some(name => !isDeepStrictEqual(after[name], start[name]))) {
    batch.markWorldChanged()
    const known = before ? (start.updated_at as string | undefined) : undefined
    after.updated_at = known !== undefined && isLater(known, at) ? known : at
  }
  return after as T
}

/** What a new thing lacks: `declared_at`, `attacker.nation_id`. */
function missingOf({ required }: MergeRules, thing: Document): string[] {
  const isMissing = (value: unknown) => value === null || value === undefined
  return Object.entries(required).flatMap(([name, members]) => {
    const value = thing[name]
    if (isMissing(value)) return [name]
    return members.filter(member => isMissing((value as Document)[member])).map(member => `${name}.${member}`)
  })
}

function newEntity(rules: MergeRules, resource: FactResource, change: Change): Document {
  return {
    ...rules.defaults,
    ...(rules.attributes ? splitAttributes(rules.attributes, {}) : {}),
    [primaryKeys[resource]]: change.key,
  }
}

/** Brings what the game said into the form in which things are kept. */
function prepare(rules: MergeRules, data: Document): Document {
  const said = { ...data }
  for (const name of rules.timeNames) {
    const value = said[name]
    if (typeof value === 'string') said[name] = canonicalTime(value)
  }
  if (rules.attributes && typeof said.attributes === 'object' && said.attributes !== null) {
    Object.assign(said, splitAttributes(rules.attributes, said.attributes))
  }
  return said
}

/** As PostgreSQL writes it back: no trailing zeros in the fraction. Otherwise the same moment would look like a change. */
function canonicalTime(time: string): string {
  return time.includes('.') ? time.replace(/\.?0*Z$/, 'Z') : time
}

const isLater = (one: string, other: string) => Date.parse(one) > Date.parse(other)

/** Where the attributes of a thing are kept: apart by who may read them. */
export interface SplitAttributes {
  attributes: Record<string, unknown>
  private_attributes: Record<string, unknown>
  admin_attributes: Record<string, unknown>
}

type Place = keyof SplitAttributes

/** Where values of each class are kept. */
export const placeOfClass: Record<Class, Place> = {
  public: 'attributes',
  player_private: 'private_attributes',
  alliance_private: 'private_attributes',
  admin_only: 'admin_attributes',
}

/** The place of each attribute of a resource; undefined for a resource that has none. */
export function attributePlaces(resource: Resource): Map<string, Place> | undefined {
  const field = resource.fields.attributes as
    | { properties?: Record<string, { 'x-class': Class }> }
    | undefined
  if (!field) return undefined
  return new Map(
    Object.entries(field.properties ?? {}).map(([key, schema]) => [key, placeOfClass[schema['x-class']]]),
  )
}

/** Puts what the game says of attributes into their places. */
export function splitAttributes(places: Map<string, Place>, said: object): SplitAttributes {
  const split: SplitAttributes = { attributes: {}, private_attributes: {}, admin_attributes: {} }
  for (const [key, value] of Object.entries(said)) split[places.get(key) ?? 'admin_attributes'][key] = value
  return split
}
