import type { Contract, EventData, EventType, FactResource, RedactableResource } from '@chancery/contract'
import type { Database } from '../store/database.ts'

/** One fact about one thing, as the ingest door has checked it. */
export interface Change {
  /** Where it stood in the batch: orders the events, and is named in a rejection. */
  line: number
  op: 'put' | 'delete'
  key: string
  /** What a `put` says. */
  data: Record<string, unknown>
  /** When it happened in the game, where the game said so. */
  at: string | undefined
}

/** What a batch says of a resource in whole: whatever it does not put is gone. */
export interface Snapshot {
  line: number
  resource: FactResource
  /** Keys of things that stay, though the batch says nothing of them. */
  except: string[]
  allowsDeletes: boolean
  at: string | undefined
}

/** Texts of one thing that are replaced wherever they stand. */
export interface Redaction {
  line: number
  resource: RedactableResource
  key: string
  /** By field, what stands there instead. */
  data: Record<string, unknown>
}

/** A player who is forgotten. */
export interface Erasure {
  line: number
  player: string
  /** Nations that the player led before. */
  nations: string[]
  /** What the player's nations are called from then on. */
  name: string
}

/** The end of an era with which the world begins anew. */
export interface Reset {
  line: number
  /** What is said of the era that ends, and of the one that begins. */
  ended: Record<string, unknown>
  next: Record<string, unknown> | undefined
  at: string | undefined
}

/** An event before it has its number. */
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

/** What a derived event says besides its data. */
export interface EventMetadata {
  line: number
  at: string | null | undefined
  nations?: (string | null)[]
  alliances?: (string | null)[]
  war?: string | null
  conflict?: string | null
}

/** How many wars of an alliance go on, were won and were lost; a difference of such numbers may be negative. */
export interface WarCounts {
  active: number
  won: number
  lost: number
}

/** The same of a nation, which attacks in some of its wars and defends in the others. */
export interface NationWarCounts {
  offensive: number
  defensive: number
  won: number
  lost: number
}

/** What must be computed anew before the batch is committed. */
export interface DirtyCounters {
  /** Whether nations have no place in the lists yet. */
  hasUnindexedNations: boolean
  /** Wars that gained, lost or changed battles. */
  battles: Set<string>
  /** Nations that are back: wars of before count towards them. */
  warNations: Set<string>
  /** By nation, what the wars of this batch add to its counters: what it costs must not grow with the wars that a nation has had. */
  nationWars: Map<string, NationWarCounts>
  /** Alliances that are back: wars of before count towards them. */
  warAlliances: Set<string>
  /** The same by alliance. */
  allianceWars: Map<string, WarCounts>
  /** Wars that are or were part of a conflict: those of before are in `chancery_secret.counted_war` as they were. */
  conflictWars: Set<string>
  /** Conflicts that other alliances fight in, or on other sides, or that are new. */
  conflictSides: Set<string>
  /** Conflicts that are new, or back: wars of before count towards them. */
  newConflicts: Set<string>
}

/** What every `apply` works on: one batch, inside its transaction. */
export interface Batch {
  db: Database
  contract: Contract
  /** When the batch is logged; the time of whatever the game gave no time for. */
  loggedAt: string
  dirty: DirtyCounters
  /** Notes an event that a change of state gives rise to. */
  emit<K extends EventType>(type: K, telling: EventMetadata, data: EventData<K>): void
  /** Notes an event that the game sent. */
  emitFromGame(draft: EventDraft): void
  /** Says that something changed that everybody may read. */
  markWorldChanged(): void
  /** Says that a fact refers to a thing, which must exist or have existed. Checked before the batch is committed. */
  requireKnown(resource: FactResource, id: string | null | undefined, line: number, path: string): void
  /** The same, of a thing that must exist now. */
  requireExisting(resource: FactResource, id: string | null | undefined, line: number, path: string): void
  /** Names of nations, also of deleted ones. */
  nationNames(ids: Iterable<string>): Promise<Map<string, string>>
}

/** Why a batch is refused: the line (from 1), the place in the fact as a JSON pointer, and what is wrong there. */
export interface Rejection {
  line: number
  path: string
  reason: string
  /** What stands there, shortened; only where everybody may read it. */
  value?: string
}

/** Thrown while a batch is applied: nothing of it is stored. */
export class BatchRejectedError extends Error {
  readonly rejections: Rejection[]

  constructor(rejections: Rejection[]) {
    super(rejections[0]?.reason ?? 'refused')
    this.rejections = rejections
  }
}

export function reject(line: number, path: string, reason: string): never {
  throw new BatchRejectedError([{ line, path, reason }])
}
