import type {
  Contract,
  EventData,
  EventType,
  FactResource,
  RedactableResource,
  Rejection,
} from '@chancery/contract'
import type { Database } from '../store/database.ts'

export type { Rejection } from '@chancery/contract'

/** The subject of a fact; `wildcardId` where it is about a whole resource. */
export interface EntityKey {
  resource: string
  id: string
}

/** Means all entities of a resource: no id has this form. */
export const wildcardId = '*'

/** One fact about one entity, as it was validated. */
export interface Change {
  /** Its line in the batch: orders the events, and is named in a rejection. */
  line: number
  op: 'put' | 'delete'
  key: string
  /** The fields of a `put`. */
  data: Record<string, unknown>
  /** When it happened in the game, where the game gave a time. */
  at: string | undefined
}

/** An event that the game sent, as it was validated. */
export interface GameEvent {
  line: number
  type: string
  occurred_at: string
  data: Record<string, unknown>
  summary?: string
  nation_ids?: string[]
  alliance_ids?: string[]
  war_id?: string | null
  conflict_id?: string | null
}

/** A batch lists all entities of a resource: those that it does not put are deleted. */
export interface Snapshot {
  line: number
  resource: FactResource
  /** Keys that are kept although the batch does not put them. */
  except: string[]
  allowsDeletes: boolean
  at: string | undefined
}

/** Texts of one entity that are replaced in all their copies. */
export interface Redaction {
  line: number
  resource: RedactableResource
  key: string
  /** By field, the replacement. */
  data: Record<string, unknown>
}

/** The erasure of a player. */
export interface Erasure {
  line: number
  player: string
  /** Nations that the player led before. */
  nations: string[]
  /** The name of the player's nations from then on. */
  name: string
}

/** The end of an era after which the world starts empty. */
export interface Reset {
  line: number
  /** The fact of the era that ends, and of the one that begins. */
  ended: Record<string, unknown>
  next: Record<string, unknown> | undefined
  at: string | undefined
}

/** An event before it is numbered. */
export interface EventDraft {
  line: number
  type: string
  occurred_at: string
  summary: string
  nation_ids: string[]
  alliance_ids: string[]
  war_id: string | null
  conflict_id: string | null
  data: unknown
}

/** The members of a derived event besides its data. */
export interface EventMetadata {
  line: number
  at: string | null | undefined
  nations?: (string | null)[]
  alliances?: (string | null)[]
  war?: string | null
  conflict?: string | null
}

/** Wars of an alliance by state; as a difference, numbers may be negative. */
export interface WarCounts {
  active: number
  won: number
  lost: number
}

/** Wars of a nation by state and side; as a difference, numbers may be negative. */
export interface NationWarCounts {
  offensive: number
  defensive: number
  won: number
  lost: number
}

/** The counters and indexes that are updated before the batch is committed. */
export interface PendingUpdates {
  /** Whether nations are missing in the ranking index. */
  hasUnindexedNations: boolean
  /** Wars whose battles changed. */
  warsWithChangedBattles: Set<string>
  /** Nations that were deleted and put again: their earlier wars count again. */
  recreatedNations: Set<string>
  /** By nation, the difference that the wars of this batch make: its cost must not grow with the wars that a nation has had. */
  nationWarDeltas: Map<string, NationWarCounts>
  /** Alliances that were deleted and put again: their earlier wars count again. */
  recreatedAlliances: Set<string>
  /** By alliance, the difference that the wars of this batch make. */
  allianceWarDeltas: Map<string, WarCounts>
  /** Wars that are or were part of a conflict; `chancery_secret.war_counter_snapshot` has them as they were before the batch. */
  conflictWars: Set<string>
  /** New conflicts, and those whose sides changed. */
  conflictSides: Set<string>
  /** Conflicts that were put for the first time, or again: earlier wars count towards them. */
  newConflicts: Set<string>
}

/** One batch inside its transaction: the argument of every `apply`. */
export interface Batch {
  db: Database
  contract: Contract
  /** When the batch is logged; also the time of facts without one. */
  loggedAt: string
  pending: PendingUpdates
  /** Adds an event that follows from a change of state. */
  emit<K extends EventType>(type: K, metadata: EventMetadata, data: EventData<K>): void
  /** Adds an event that the game sent. */
  emitFromGame(draft: EventDraft): void
  /** Marks that something public changed: the batch then makes a new world version. */
  markWorldChanged(): void
  /** Requires an entity that exists, or existed. Checked before the batch is committed. */
  requireKnown(resource: FactResource, id: string | null | undefined, line: number, path: string): void
  /** Requires an entity that exists. Checked before the batch is committed. */
  requireExisting(resource: FactResource, id: string | null | undefined, line: number, path: string): void
  /** Names of nations, also of deleted ones. */
  nationNames(ids: Iterable<string>): Promise<Map<string, string>>
}

/** Changes and events are read, merged and written in chunks of this size. */
export const chunkSize = 2_500

export function* chunksOf<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += chunkSize) yield list.slice(start, start + chunkSize)
}

/** Items of lists that are applied at once: each participant of a war may have two events. */
const listItemsMax = 20_000

/** A chunk of changes in parts, so that facts with long lists do not fill the memory. */
export function* partsOf(changes: readonly Change[]): Generator<Change[]> {
  let [part, items]: [Change[], number] = [[], 0]
  for (const change of changes) {
    part.push(change)
    for (const value of Object.values(change.data)) if (Array.isArray(value)) items += value.length
    if (items < listItemsMax) continue
    yield part
    ;[part, items] = [[], 0]
  }
  if (part.length > 0) yield part
}

/** Thrown while a batch is applied: its transaction is rolled back. */
export class BatchRejectedError extends Error {
  readonly rejections: Rejection[]

  constructor(rejections: Rejection[]) {
    super(rejections[0]?.reason ?? 'rejected')
    this.rejections = rejections
  }
}

export function reject(line: number, path: string, reason: string): never {
  throw new BatchRejectedError([{ line, path, reason }])
}

/** More rejections of one batch are not reported. */
export const rejectionsMax = 100

/** The rejections of a batch, as many as are reported: the first of each fact takes precedence over the others of any. */
export class RejectionList {
  #first: Rejection[] = []
  #others: Rejection[] = []

  get isEmpty(): boolean {
    return this.#first.length === 0
  }

  /** Adds all rejections of one fact. */
  add([first, ...others]: Rejection[]): void {
    if (!first || this.#first.length === rejectionsMax) return
    this.#first.push(first)
    this.#others.push(...others.slice(0, rejectionsMax - this.#others.length))
  }

  /** In the order of the facts. */
  list(): Rejection[] {
    const others = this.#others.slice(0, rejectionsMax - this.#first.length)
    return [...this.#first, ...others].sort((one, other) => one.line - other.line)
  }
}
