import { type FactResource, factResources, limits, primaryKeys } from '@chancery/contract'
import { type Change, type EntityKey, type GameEvent, type Rejection, RejectionList } from './batch.ts'
import type { SpooledBatch } from './spool.ts'
import { isTooDeep } from './validate-fact.ts'

/** What a fact says about an entity. */
export interface Statement {
  op: 'put' | 'delete'
  data: Record<string, unknown>
}

/** A fact that is left out of its batch. */
export interface SetAsideFact {
  /** Its line in the stream. */
  line: number
  text: string
  /** The entity that it changes, as far as it can be read. */
  entity: EntityKey | undefined
  /** Undefined for an event. */
  statement: Statement | undefined
  rejections: Rejection[]
  /** Whether later facts of its batch changed the same entity: to apply it later would restore older values. */
  isSuperseded: boolean
  /** Whether one of them states all that it states. */
  isReplaced: boolean
}

/** More attempts to apply a batch are not made. Each finds the facts that refer to those which the one before left out. */
const attemptsMax = 30

/** The facts that are left out of a batch so that the rest of it can be applied. */
export class SetAside {
  #facts = new Map<number, SetAsideFact>()
  #byEntity = new Map<string, SetAsideFact[]>()
  #bytes = 0
  #attempts = 0

  /** Adds a line that was rejected when it was read. false if its whole batch has to be rejected. */
  addLine(line: number, text: string | undefined, rejections: Rejection[]): boolean {
    const fact = text === undefined ? undefined : readFact(text)
    return fact !== undefined && text !== undefined && this.#add({ ...fact, line, text, rejections })
  }

  /** Adds the facts that an attempt to apply the batch has rejected. false if the whole batch has to be rejected. */
  async addRejected(batch: SpooledBatch, rejections: readonly Rejection[]): Promise<boolean> {
    this.#attempts += 1
    if (this.#attempts > attemptsMax || batch.reset || batch.redactions.length + batch.erasures.length > 0)
      return false
    const byLine = Map.groupBy(rejections, ({ line }) => line)
    if (byLine.size === 0 || [...byLine.keys()].some(line => this.#facts.has(line))) return false
    for await (const fact of factsOf(batch, line => byLine.has(line))) {
      if (!this.#add({ ...fact, rejections: byLine.get(fact.line) ?? [] })) return false
      byLine.delete(fact.line)
    }
    // What is left is about a snapshot, or about no line.
    return byLine.size === 0
  }

  get count(): number {
    return this.#facts.size
  }

  /** In the order of the batch. */
  get facts(): SetAsideFact[] {
    return [...this.#facts.values()].sort((one, other) => one.line - other.line)
  }

  /** As many as the outcome of a batch lists. */
  get rejections(): Rejection[] {
    const list = new RejectionList()
    for (const { rejections } of this.facts) list.add(rejections)
    return list.list()
  }

  /** Rejections of the whole batch: those of its facts, and why they are not set aside. */
  whole(rejections: readonly Rejection[]): Rejection[] {
    const others = rejections.filter(({ line }) => !this.#facts.has(line))
    if (this.#hasRoom) return [...others, ...this.rejections]
    const reason = `at most ${limits.setAsidePerBatch} facts of ${limits.deadLetterBytesMax} bytes can be set aside: nothing of this batch is applied`
    return [{ line: 0, path: '/refused', reason }, ...others, ...this.rejections]
  }

  /** The batch without these facts. Notes which of them its other facts supersede, while it is read. */
  without(batch: SpooledBatch): SpooledBatch {
    for (const fact of this.#facts.values()) fact.isSuperseded = fact.isReplaced = false
    const isKept = ({ line }: { line: number }) => !this.#facts.has(line)
    const note = (resource: FactResource, change: Change) => this.#note(resource, change)
    return {
      ...batch,
      isSettingAside: true,
      factCount: batch.factCount - this.count,
      async *changes(resource) {
        for await (const changes of batch.changes(resource)) {
          const kept = changes.filter(isKept)
          for (const change of kept) note(resource, change)
          yield* nonEmpty(kept)
        }
      },
      async *deletes(resource) {
        for await (const deletes of batch.deletes(resource)) yield* nonEmpty(deletes.filter(isKept))
      },
      async *events() {
        for await (const events of batch.events()) yield* nonEmpty(events.filter(isKept))
      },
      snapshot: resource => {
        const snapshot = batch.snapshot(resource)
        return snapshot && { ...snapshot, except: [...snapshot.except, ...this.#idsOf(resource)] }
      },
    }
  }

  #add(fact: Omit<SetAsideFact, 'isSuperseded' | 'isReplaced'>): boolean {
    const added = { ...fact, isSuperseded: false, isReplaced: false }
    this.#facts.set(fact.line, added)
    this.#bytes += Buffer.byteLength(fact.text) + 1
    if (fact.entity) {
      const key = keyOf(fact.entity)
      const others = this.#byEntity.get(key)
      if (others) others.push(added)
      else this.#byEntity.set(key, [added])
    }
    return this.#hasRoom
  }

  #note(resource: FactResource, { line, op, key, data }: Change): void {
    for (const fact of this.#byEntity.get(keyOf({ resource, id: key })) ?? []) {
      if (fact.line > line) continue
      fact.isSuperseded = true
      fact.isReplaced ||= covers({ statement: { op, data } }, fact)
    }
  }

  get #hasRoom(): boolean {
    return this.count <= limits.setAsidePerBatch && this.#bytes <= limits.deadLetterBytesMax
  }

  #idsOf(resource: FactResource): string[] {
    return this.facts.flatMap(({ entity }) => (entity?.resource === resource ? [entity.id] : []))
  }
}

const nonEmpty = <T>(list: T[]): T[][] => (list.length > 0 ? [list] : [])

const keyOf = ({ resource, id }: EntityKey) => `${resource} ${id}`

type FactOfLine = Pick<SetAsideFact, 'line' | 'text' | 'entity' | 'statement'>

/** The facts of a batch at some of its lines, written as they are sent. */
async function* factsOf(
  batch: SpooledBatch,
  isWanted: (line: number) => boolean,
): AsyncGenerator<FactOfLine> {
  for (const resource of factResources)
    for await (const changes of batch.changes(resource))
      for (const { line, op, key, data, at } of changes) {
        if (!isWanted(line)) continue
        const fact = {
          op,
          resource,
          ...(op === 'put' ? { data } : { id: key }),
          ...(at === undefined ? {} : { at }),
        }
        yield { line, text: JSON.stringify(fact), entity: { resource, id: key }, statement: { op, data } }
      }
  for await (const events of batch.events())
    for (const event of events) if (isWanted(event.line)) yield eventFact(event)
}

function eventFact({ line, ...data }: GameEvent): FactOfLine {
  return { line, text: JSON.stringify({ op: 'event', data }), entity: undefined, statement: undefined }
}

/** What can be read of a rejected fact; undefined if it is not a put, a delete or an event. */
export function readFact(text: string): Pick<SetAsideFact, 'entity' | 'statement'> | undefined {
  let fact: { op?: unknown; resource?: unknown; id?: unknown; data?: unknown } | null
  try {
    fact = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof fact !== 'object' || fact === null || isTooDeep(fact)) return undefined
  const { op, resource: name } = fact
  if (op === 'event') return { entity: undefined, statement: undefined }
  if (op !== 'put' && op !== 'delete') return undefined
  const data = (op === 'put' && typeof fact.data === 'object' && fact.data) || {}
  const resource = factResources.find(known => known === name)
  const id = resource && (op === 'put' ? (data as Record<string, unknown>)[primaryKeys[resource]] : fact.id)
  return {
    entity: resource && isStorableId(id) ? { resource, id } : undefined,
    statement: { op, data: data as Record<string, unknown> },
  }
}

/** Whether it may be the id of an entity, and can be stored as one. */
const isStorableId = (id: unknown): id is string =>
  typeof id === 'string' && id.length <= 200 && id.isWellFormed() && !id.includes('\0')

/** Whether nothing is left of an older fact about an entity after a newer one. */
export function covers(
  { statement: newer }: Pick<SetAsideFact, 'statement'>,
  { statement: older }: Pick<SetAsideFact, 'statement'>,
): boolean {
  if (!newer || !older) return false
  return newer.op === 'delete' || older.op === 'delete' || containsMembers(newer.data, older.data)
}

/** Objects are merged member by member, other values replace. */
const containsMembers = (newer: unknown, older: unknown): boolean =>
  !isObject(older) ||
  !isObject(newer) ||
  Object.entries(older).every(([name, value]) => name in newer && containsMembers(newer[name], value))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
