import type { Profile } from '@chancery/contract'
import type { Ledger } from './ledger.ts'
import type { Market } from './market.ts'
import type { NameBook } from './names/name-book.ts'
import type { BattleKind, Good, Rank, Unit, Vocabulary } from './vocabulary.ts'

export interface WorldOptions {
  nations: number
  days: number
  seed: number
  /** Default: the demo game’s. */
  profile?: Profile
  /** The end of history, RFC 3339. */
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
  /** Its row in the ledgers of the world. */
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
  /** It produces much of the one, and some of the other. */
  readonly mainGood: Good | undefined
  readonly sideGood: Good | undefined
  alliance: Alliance | null
  rank: Rank | null
  joinedAt: number
  /** Whether this member sees the treasury; null: the rank decides. */
  seesTreasury: boolean | null
  /** End of the step in which it last joined, left or applied: at most once per step, so that no batch contradicts itself. */
  movedAt: number
  readiness: number
  credits: number
  queue: readonly Order[]
  weariness: number
  prestige: number
  offensiveWars: number
  defensiveWars: number
  appliesTo: Alliance | null
  assignedUntil: number
  /** The `elapsed` of the world at the last update of its economy. */
  updatedUntil: number
  /** The parts that have changed since the last report. */
  dirtyMask: number
}

export interface Alliance {
  readonly id: string
  name: string
  tag: string
  readonly foundedAt: number
  readonly family: number
  /** Alliances of one bloc prefer each other. */
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
  readonly label: string
  readonly isDefensive: boolean
  readonly signedAt: number
  readonly expiresAt: number | null
}

/** A treaty between two nations that is in force. */
export interface Pact {
  readonly id: string
  readonly nations: readonly [Nation, Nation]
  readonly expiresAt: number | null
}

/** A battle of a war as a subject for the news. */
export interface FoughtBattle {
  war: War
  attacker: Nation
  defender: Nation
  battleKind: BattleKind
  victor: 'attacker' | 'defender' | 'draw'
  /** The value of the losses in points of force. */
  worth: number
  losses: { attacker: Record<string, number>; defender: Record<string, number> }
}

/** A battle that lasts. Its result is known, and reported at its end. */
export interface Siege {
  readonly battleId: string
  readonly endsAt: number
  readonly result: {
    victor: 'attacker' | 'defender' | 'draw'
    infrastructure_destroyed: number
  }
  /** For the news of its end. */
  readonly fought: FoughtBattle
}

/** A nation that joined a war of others, with the names of that time. */
export interface Participant {
  readonly side: 'attacker' | 'defender'
  readonly nation: Nation
  readonly names: { nation_name: string; alliance_id: string; alliance_name: string }
  readonly joinedAt: number
  leftAt: number | null
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
  /** Declared in a tick, not in the history. */
  readonly isOfTick: boolean
  readonly participants: Participant[]
  conflict: Conflict | null
  /** Above 0 the attacker is winning. */
  momentum: number
  readonly decidedAt: number
  /** In thousandths of simulated days, as `elapsed`. */
  readonly tiresAt: number
  battles: number
  sieges: Siege[]
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
  /** In thousandths of simulated days, as `elapsed`. */
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

/** The present state of the world. Past wars and members are removed, so that its size does not grow with the history. */
export interface WorldState {
  readonly seed: number
  readonly vocabulary: Vocabulary
  readonly names: NameBook
  readonly market: Market
  readonly forces: Ledger
  readonly reserves: Ledger
  readonly stocks: Ledger
  startsAt: number
  /** Simulated days in thousandths. Ticks are faster than the calendar: see Step. */
  elapsed: number
  /** Rows of the ledgers in use. */
  rows: number
  nations: Nation[]
  alliances: Alliance[]
  treaties: Treaty[]
  pacts: Pact[]
  wars: War[]
  conflict: Conflict | null
  /** Counts of wars between two alliances, by both ids: the cause of a global conflict. */
  tensions: Map<string, number>
  era: Era
  /** Ids of the last wars that ended, by both ids of their nations. */
  endedWars: Map<string, string>
  /** The main alliances of the last conflict. */
  lastFoes: readonly Alliance[]
  /** The number of ids used so far, by kind. */
  counters: Map<string, number>
}
