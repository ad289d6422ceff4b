import type { Profile } from '@chancery/contract'
import type { Ledger } from './ledger.ts'
import type { Market } from './market.ts'
import type { NameBook } from './names/name-book.ts'
import type { Good, Rank, Unit, Vocabulary } from './vocabulary.ts'

export interface WorldOptions {
  nations: number
  days: number
  seed: number
  /** Default: the demo game’s. */
  profile?: Profile
  /** RFC 3339: the moment up to which history runs. */
  endsAt: string
}

export type NationStatus = 'active' | 'protected' | 'vacation' | 'inactive'

export interface Order {
  unit: Unit
  quantity: number
  completesAt: number
}

export interface Nation {
  readonly id: string
  /** Where the ledgers of the world keep what it has. */
  readonly row: number
  name: string
  leader: string
  readonly family: number
  government: number
  score: number
  status: NationStatus
  statusSince: number
  cities: number
  land: number
  readonly richness: number
  /** It yields plenty of the one, and some of the other. */
  readonly mainGood: Good | undefined
  readonly sideGood: Good | undefined
  alliance: Alliance | null
  rank: Rank | null
  joinedAt: number
  /** The game’s word on the treasury, for this member alone; null leaves it to the rank. */
  seesTreasury: boolean | null
  /** End of the step in which it last joined, left or applied: one such move a step, so that no batch contradicts itself. */
  movedAt: number
  readiness: number
  credits: number
  queue: readonly Order[]
  weariness: number
  offensiveWars: number
  defensiveWars: number
  appliesTo: Alliance | null
  assignedUntil: number
  /** Thousandths of days of life up to which its economy has come. */
  livedUntil: number
  /** Which parts of it have changed since it was last told of. */
  unsaid: number
}

export interface Alliance {
  readonly id: string
  name: string
  tag: string
  readonly foundedAt: number
  readonly family: number
  /** Alliances of one bloc are drawn to each other. */
  readonly bloc: number
  recruiting: boolean
  members: Nation[]
  treasury: { credits: number; stocks: number[] }
  warsActive: number
  isDissolving: boolean
}

export interface Treaty {
  readonly id: string
  readonly alliances: readonly [Alliance, Alliance]
  readonly type: string
  readonly label: string
  readonly isDefensive: boolean
  readonly signedAt: number
  readonly expiresAt: number | null
}

export interface War {
  readonly id: string
  readonly attacker: Nation
  readonly defender: Nation
  readonly attackerAlliance: Alliance | null
  readonly defenderAlliance: Alliance | null
  readonly type: string | null
  readonly declaredAt: number
  readonly reason: string
  conflict: Conflict | null
  /** Above 0 the attacker is winning. */
  momentum: number
  readonly decidedAt: number
  /** In thousandths of days of life, as `lived`. */
  readonly tiresAt: number
  battles: number
  lost: { attacker: number; defender: number }
}

export interface ConflictSide {
  name: string
  alliances: { alliance: Alliance; joinedAt: number; leftAt: number | null }[]
}

export interface Conflict {
  readonly id: string
  readonly name: string
  readonly startedAt: number
  /** In thousandths of days of life, as `lived`. */
  readonly begunAt: number
  readonly sides: [ConflictSide, ConflictSide]
  warsTotal: number
  battles: number
}

export interface Era {
  readonly id: string
  readonly number: number
  readonly name: string
  readonly startedAt: number
}

/** The whole world as it is now. What is over is forgotten, so that its size does not grow with the history. */
export interface WorldState {
  readonly seed: number
  readonly vocabulary: Vocabulary
  readonly names: NameBook
  readonly market: Market
  readonly forces: Ledger
  readonly reserves: Ledger
  readonly stocks: Ledger
  startsAt: number
  /** Days of life that have passed, in thousandths. Ticks live faster than the calendar: see Step. */
  lived: number
  /** Rows of the ledgers in use. */
  rows: number
  nations: Nation[]
  alliances: Alliance[]
  treaties: Treaty[]
  wars: War[]
  conflict: Conflict | null
  /** Wars between two alliances, by both ids: what a global conflict grows from. */
  tensions: Map<string, number>
  era: Era
  /** The two alliances that the last conflict was about. */
  lastFoes: readonly Alliance[]
  /** How many things of each kind have ever been named, for the next id. */
  counters: Map<string, number>
}
