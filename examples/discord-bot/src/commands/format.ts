import type { Nation, War } from '@chancery/client'
import type { Field } from '../embed.ts'
import { fact } from '../embed.ts'
import { type GameTerms, readable } from '../game-terms.ts'
import { name, number } from '../text.ts'

/** Northern Pact [NP]. */
export const allianceText = (of: { name: string; tag?: string | null }): string =>
  of.tag ? `${name(of.name)} [${name(of.tag)}]` : name(of.name)

/** With the names at the declaration of the war. */
export const sideText = ({ nation_name, alliance_name }: War['attacker']): string =>
  alliance_name === null ? name(nation_name) : `${name(nation_name)} (${name(alliance_name)})`

export const membershipText = async (of: Nation['alliance'], terms: GameTerms): Promise<string> =>
  of === null ? 'none' : `${allianceText(of.alliances)}, ${await terms.label('ranks', of.rank)}`

/** 1,200 soldiers, 31 tanks. */
export async function lossesText(losses: Record<string, number>, terms: GameTerms): Promise<string> {
  const lost = Object.entries(losses).filter(([, count]) => count > 0)
  const texts = await Promise.all(
    lost.map(async ([unit, count]) => `${number(count)} ${(await terms.label('units', unit)).toLowerCase()}`),
  )
  return texts.join(', ') || 'none'
}

const outcomes: Record<string, string> = {
  attacker_victory: 'the attacker won',
  defender_victory: 'the defender won',
  peace: 'peace was made',
  stalemate: 'no side won',
}

export function outcomeText({ status, outcome }: Pick<War, 'status' | 'outcome'>): string {
  if (status === 'active') return 'active'
  return outcome === null ? 'ended' : (outcomes[outcome] ?? readable(outcome).toLowerCase())
}

/** The fields that this game adds to the API's. */
export const attributeFields = (attributes: Record<string, unknown>): Field[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || typeof value === 'object'
      ? []
      : [fact(readable(key), typeof value === 'number' ? number(value) : name(String(value)))],
  )

export const orNone = (lines: string[], none: string): string[] => (lines.length > 0 ? lines : [none])
