import type { Battle, War } from '@chancery/client'
import { joined, name, number, plain, type Text, text } from '../text.ts'
import { readable, type Words } from '../words.ts'

type Side = War['attacker']
type Counts = Record<string, number>

/** Northern Pact [NP], or the name alone where there is no tag. */
export const allianceText = (of: { name: string; tag?: string | null }): Text =>
  of.tag ? text`${name(of.name)} [${name(of.tag)}]` : [name(of.name)]

/** A side of a war as it was called when it was declared. */
export const sideText = ({ nation_name, alliance_name }: Side): Text =>
  alliance_name === null ? [name(nation_name)] : text`${name(nation_name)} (${name(alliance_name)})`

/** 1,200 soldiers, 31 tanks: of the units that were lost. */
export async function lossesText(losses: Counts, words: Words): Promise<Text> {
  const lost = Object.entries(losses).filter(([, count]) => count > 0)
  if (lost.length === 0) return plain('none')
  const labels = await Promise.all(
    lost.map(
      async ([unit, count]) => text`${number(count)} ${(await words.label('units', unit)).toLowerCase()}`,
    ),
  )
  return joined(labels, ', ')
}

const outcomes: Record<string, string> = {
  attacker_victory: 'the attacker won',
  defender_victory: 'the defender won',
  peace: 'peace was made',
  stalemate: 'nobody won',
}

/** How a war stands or ended, in words. */
export function standingText({ status, outcome }: Pick<War, 'status' | 'outcome'>): string {
  if (status === 'active') return 'goes on'
  return outcome === null ? 'ended' : (outcomes[outcome] ?? readable(outcome).toLowerCase())
}

/** Who won a battle, by the names that its war has for them. */
export function victorText(battle: Battle, nameOf: (nationId: string) => string): Text {
  if (battle.victor === 'draw') return plain('nobody won')
  if (battle.victor === null) return plain('who won is not known')
  const winner = battle.victor === 'attacker' ? battle.attacker_nation_id : battle.defender_nation_id
  return text`${name(nameOf(winner))} won`
}

/** What a page of a list says that holds nothing. */
export const orNothing = (lines: Text[], otherwise: string): Text[] =>
  lines.length > 0 ? lines : [plain(otherwise)]
