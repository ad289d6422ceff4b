import type { Turn } from '../measure.ts'
import type { ContestantId } from '../work.ts'

/** What a run leaves behind: everything that tables, page and plot are made from. */
export interface Results {
  measuredAt: string
  /** How it was started. */
  command: string
  machine: Machine
  rounds: number
  seconds: number
  connections: number
  world: { nations: number; wars: number; events: number }
  works: WorkResult[]
  /** Contestants that were left out, and why. */
  leftOut: { title: string; why: string }[]
  guards?: GuardShares
  memory?: MemoryResult
}

export interface Machine {
  model: string
  cpus: number
  memoryBytes: number
  /** The cores of servers and load; null where they were not kept apart. */
  cores: { server: number; load: number } | null
  /** What else ran: the load average of the last minute, before and after. */
  load: { before: number; after: number }
  versions: Record<string, string>
}

export interface WorkResult {
  id: string
  title: string
  isMoving: boolean
  contestants: { id: ContestantId; title: string; turns: Turn[] }[]
}

/** Shares of the busy time of a service that answers one remembered body over and over, from a profile. */
export interface GuardShares {
  anonymous: GuardShare
  withKeys: GuardShare
}

export interface GuardShare {
  /** Of all guards together. */
  all: number
  /** Of each guard and of the rest, the most first. */
  parts: { name: string; share: number; isGuard: boolean }[]
}

export interface MemoryResult {
  measuredAt: string
  minutes: number
  nations: number
  requests: number
  /** Of which answered with a status from 400 on: searches that found no connection free. */
  refused: number
  /** Resident bytes, by seconds since the load began. */
  samples: { second: number; bytes: number }[]
}
