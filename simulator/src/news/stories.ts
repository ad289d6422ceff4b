import type { Happening } from '../happening.ts'
import * as battles from './battle-stories.ts'
import * as conflicts from './conflict-stories.ts'
import type { Desk, Story } from './desk.ts'
import { priceMoved } from './market-stories.ts'
import * as society from './society-stories.ts'
import * as wars from './war-stories.ts'

/** How much a happening is news, from 0. */
export function weightOf(happening: Happening): number {
  switch (happening.kind) {
    case 'conflict_started':
    case 'conflict_ended':
    case 'era_turned':
      return 100
    case 'launch':
      return 12
    case 'conflict_joined':
    case 'conflict_left':
    case 'alliance_disbanded':
      return 9
    case 'alliance_founded':
    case 'alliance_renamed':
      return 7
    case 'leader_changed':
    case 'treaty_signed':
    case 'treaty_ended':
      return 5
    case 'disaster':
      return happening.severity * 1.5
    case 'price_moved':
      return Math.abs(happening.percent) / 2
    case 'war_declared':
      return 1 + (happening.war.attacker.score + happening.war.defender.score) / 900
    case 'war_ended':
      return happening.war.battles === 0
        ? 0
        : 1 + (happening.war.attacker.score + happening.war.defender.score) / 1100
    case 'battle':
      return happening.worth / 350
    case 'nation_renamed':
      return 1.5 + happening.nation.score / 900
    case 'nation_founded':
      return 1.2
  }
}

export function tell(happening: Happening, desk: Desk): Story {
  switch (happening.kind) {
    case 'war_declared':
      return wars.warDeclared(happening, desk)
    case 'war_ended':
      return wars.warEnded(happening, desk)
    case 'battle':
      return battles.battleFought(happening, desk)
    case 'launch':
      return battles.weaponLaunched(happening, desk)
    case 'conflict_started':
      return conflicts.conflictStarted(happening, desk)
    case 'conflict_joined':
      return conflicts.conflictJoined(happening, desk)
    case 'conflict_left':
      return conflicts.conflictLeft(happening, desk)
    case 'conflict_ended':
      return conflicts.conflictEnded(happening, desk)
    case 'era_turned':
      return conflicts.eraTurned(happening, desk)
    case 'treaty_signed':
      return society.treatySigned(happening, desk)
    case 'treaty_ended':
      return society.treatyEnded(happening, desk)
    case 'alliance_founded':
      return society.allianceFounded(happening, desk)
    case 'alliance_renamed':
      return society.allianceRenamed(happening, desk)
    case 'alliance_disbanded':
      return society.allianceDisbanded(happening, desk)
    case 'nation_founded':
      return society.nationFounded(happening, desk)
    case 'nation_renamed':
      return society.nationRenamed(happening, desk)
    case 'leader_changed':
      return society.leaderChanged(happening, desk)
    case 'disaster':
      return society.disasterStruck(happening, desk)
    case 'price_moved':
      return priceMoved(happening, desk)
  }
}
