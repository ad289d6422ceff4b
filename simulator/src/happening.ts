import type { Alliance, Conflict, Era, Nation, Treaty, War } from './state.ts'
import type { BattleKind, Good, Unit } from './vocabulary.ts'

export type WarOutcome = 'attacker_victory' | 'defender_victory' | 'peace' | 'stalemate'

/** What happened in a step and may be told in the news. */
export type Happening = { at: number } & (
  | { kind: 'war_declared'; war: War }
  | { kind: 'war_ended'; war: War; outcome: WarOutcome }
  | {
      kind: 'battle'
      war: War
      attacker: Nation
      defender: Nation
      battleKind: BattleKind
      victor: 'attacker' | 'defender' | 'draw'
      /** Losses as worth in points of force. */
      worth: number
      losses: { attacker: Record<string, number>; defender: Record<string, number> }
    }
  | { kind: 'launch'; war: War; attacker: Nation; defender: Nation; weapon: Unit; isIntercepted: boolean }
  | { kind: 'conflict_started'; conflict: Conflict; cause: string }
  | { kind: 'conflict_joined'; conflict: Conflict; alliance: Alliance; side: string }
  | { kind: 'conflict_left'; conflict: Conflict; alliance: Alliance }
  | { kind: 'conflict_ended'; conflict: Conflict }
  | { kind: 'era_turned'; old: Era; next: Era; champion: Alliance }
  | { kind: 'treaty_signed'; treaty: Treaty }
  | { kind: 'treaty_ended'; treaty: Treaty }
  | { kind: 'alliance_founded'; alliance: Alliance; founder: Nation }
  | { kind: 'alliance_renamed'; alliance: Alliance; oldName: string }
  | { kind: 'alliance_disbanded'; alliance: Alliance }
  | { kind: 'nation_founded'; nation: Nation }
  | { kind: 'nation_renamed'; nation: Nation; oldName: string }
  | { kind: 'leader_changed'; alliance: Alliance; nation: Nation; predecessor: Nation }
  | { kind: 'price_moved'; good: Good; price: number; percent: number }
  | { kind: 'disaster'; nation: Nation; disaster: string; severity: number }
)
export type HappeningOf<K extends Happening['kind']> = Extract<Happening, { kind: K }>
