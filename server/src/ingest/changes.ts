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
import { type Batch, BatchRejectedError, type Change, type Rejection, reject } from './batch.ts'

/** The effect of one change on one entity. `before` is undefined where it is new, `after` where it was deleted. */
export interface Transition<T> {
  line: number
  key: string
  before: T | undefined
  after: T | undefined
  /** When it happened: the time of the fact, else that of the batch. */
  at: string
}

/** Loads and saves the entities of a resource. `T` has the contract's field names; attributes are split by class. */
export interface EntityStore<T> {
  resource: FactResource
  load(batch: Batch, keys: string[]): Promise<Map<string, T>>
  /** Sets required fields that the fact states in another way. Called before they are checked. */
  derive?(after: T, before: T | undefined, change: Change): void
  /** Completes an entity with values that the fact left out: current names, states that follow from others. */
  adjust?(batch: Batch, after: T, before: T | undefined, change: Change): Promise<void> | void
  save(batch: Batch, entities: T[]): Promise<void>
  remove(batch: Batch, keys: string[]): Promise<void>
}

type Document = Record<string, unknown>

interface MergeRules {
  resource: Resource
  /** Fields that a new entity needs, and the members that each needs. */
  required: Record<string, string[]>
  defaults: Document
  /** Public fields that facts set: a change of one moves `updated_at`. */
  publicNames: string[]
  timeNames: string[]
  attributes: ReturnType<typeof attributeColumns>
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
    attributes: attributeColumns(resource),
  }
}

/**
 * Merges changes into the stored entities, in order, and writes the result. Returns a transition for each change: an entity that changes
 * twice in one batch has two, and emits events for both.
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
  const rejectedKeys = new Set<string>()
  for (const change of changes) {
    if (rejectedKeys.has(change.key)) continue
    const before = current.get(change.key)
    const at = change.at ?? batch.loggedAt
    let after: T | undefined
    try {
      after = change.op === 'put' ? await put(batch, store, rules, before, change, at) : undefined
    } catch (error) {
      if (!(error instanceof BatchRejectedError)) throw error
      // The other changes are checked too: the sender gets all rejections at once.
      rejections.push(...error.rejections)
      rejectedKeys.add(change.key)
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
  const changed = alive.filter(([key, entity]) => known.get(key) !== entity).map(([, entity]) => entity)
  // Deletions first: an entity that is deleted and put in one chunk is new, as if they were in two chunks.
  await store.remove(batch, [...deleted])
  await store.save(batch, changed)
  return transitions
}

/** The entities that were deleted and not put again. */
export const deletionsOf = <T>(transitions: Transition<T>[]): Transition<T>[] =>
  lastOf(transitions).filter(({ after }) => after === undefined)

/** Keys of entities that were deleted and put again: earlier wars count towards them. */
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
  const given = prepare(rules, change.data)
  const start: Document = before ? (before as Document) : newEntity(rules, store.resource, change)
  const after: Document = { ...start }
  for (const [name, value] of Object.entries(given)) {
    const merged = merge(after[name], value)
    const schema = rules.resource.fields[name]
    after[name] = schema ? fillNulls(schema, merged) : merged
  }
  store.derive?.(after as T, before, change)
  if (!before) {
    const missing = missingOf(rules, after)
    if (missing.length > 0)
      throw new BatchRejectedError(
        missing.map(name => ({
          line: change.line,
          path: `/data/${name.replace('.', '/')}`,
          reason: `is required for a new ${store.resource}`,
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

/**
 * Keeps a word of the game's own (`game_status: "banned"`) and the fixed word to which the profile maps it (`status: "inactive"`)
 * consistent: the game's word sets the fixed one, and another fixed word clears the game's. Null leaves the fixed word.
 * @throws {BatchRejectedError} where a fact sends both and they differ.
 */
export function followGameTerm<G extends string, F extends string>(
  terms: readonly { key: string; is: string }[] = [],
  entity: { [K in G | F]: string | null },
  { data, line }: Pick<Change, 'data' | 'line'>,
  [own, fixed]: [own: G, fixed: F],
): void {
  const term = terms.find(({ key }) => key === entity[own])
  if (!term || entity[fixed] === term.is) return
  const values = entity as Record<string, string | null>
  if (typeof data[own] !== 'string') values[own] = null
  else if (fixed in data)
    reject(line, `/data/${fixed}`, `must be ${term.is}, which the game profile states for ${own} ${term.key}`)
  else values[fixed] = term.is
}

/** The required fields that a new entity lacks: `declared_at`, `attacker.nation_id`. */
function missingOf({ required }: MergeRules, entity: Document): string[] {
  const isMissing = (value: unknown) => value === null || value === undefined
  return Object.entries(required).flatMap(([name, members]) => {
    const value = entity[name]
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

/** Converts the data of a fact into the form in which entities are stored. */
function prepare(rules: MergeRules, data: Document): Document {
  const given = { ...data }
  for (const name of rules.timeNames) {
    const value = given[name]
    if (typeof value === 'string') given[name] = canonicalTime(value)
  }
  if (rules.attributes && typeof given.attributes === 'object' && given.attributes !== null) {
    Object.assign(given, splitAttributes(rules.attributes, given.attributes))
  }
  return given
}

/** The form in which PostgreSQL returns times: no trailing zeros in the fraction. Otherwise the same time would look like a change. */
function canonicalTime(time: string): string {
  return time.includes('.') ? time.replace(/\.?0*Z$/, 'Z') : time
}

const isLater = (one: string, other: string) => Date.parse(one) > Date.parse(other)

/** The attributes of an entity, split by class. */
export interface SplitAttributes {
  attributes: Record<string, unknown>
  private_attributes: Record<string, unknown>
  admin_attributes: Record<string, unknown>
}

type AttributeColumn = keyof SplitAttributes

/** The column for values of each class. */
export const columnOfClass: Record<Class, AttributeColumn> = {
  public: 'attributes',
  player_private: 'private_attributes',
  alliance_private: 'private_attributes',
  admin_only: 'admin_attributes',
}

/** The column of each attribute of a resource; undefined for a resource that has none. */
function attributeColumns(resource: Resource): Map<string, AttributeColumn> | undefined {
  const field = resource.fields.attributes as
    | { properties?: Record<string, { 'x-class': Class }> }
    | undefined
  if (!field) return undefined
  return new Map(
    Object.entries(field.properties ?? {}).map(([key, schema]) => [key, columnOfClass[schema['x-class']]]),
  )
}

/** Splits the attributes of a fact by class. */
function splitAttributes(columns: Map<string, AttributeColumn>, given: object): SplitAttributes {
  const split: SplitAttributes = { attributes: {}, private_attributes: {}, admin_attributes: {} }
  for (const [key, value] of Object.entries(given)) split[columns.get(key) ?? 'admin_attributes'][key] = value
  return split
}
