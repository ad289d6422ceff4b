/** The parts that several commands show. */
import type { Game, Nation, War } from '@chancery/client'
import { type APIEmbedField, EmbedBuilder, embedLength } from 'discord.js'
import type { Api } from './command.ts'
import { fitLines, name, number } from './text.ts'

/** An inline field with the values that are there; none without any. */
export const fact = (name: string, ...values: (string | null | undefined)[]): APIEmbedField[] => {
  const value = values.filter(Boolean).join(', ')
  return value ? [{ name, value, inline: true }] : []
}

/** A field with a line for each item. */
export const list = (name: string, lines: readonly string[], none = '–'): APIEmbedField => ({
  name,
  value: fitLines(lines.filter(Boolean)) || none,
})

/** Adds the fields that Discord accepts in one embed: 25, and 6,000 characters with everything else. */
export function addFields(embed: EmbedBuilder, fields: APIEmbedField[]): EmbedBuilder {
  for (const field of fields.slice(0, 25))
    if (embedLength(embed.data) + field.name.length + field.value.length <= 6_000) embed.addFields(field)
  return embed
}

/** Null for an address that Discord cannot parse: it would reject the whole message. */
export const address = (url: string | null): string | null =>
  url !== null && /^https?:\/\/\S+$/.test(url) && URL.canParse(url) ? url : null

/** With the address, colour and flag of a nation or an alliance. */
export const flagEmbed = ({ url, color, flag_url }: Pick<Nation, 'url' | 'color' | 'flag_url'>) =>
  new EmbedBuilder()
    .setURL(address(url))
    .setThumbnail(address(flag_url))
    .setColor(color === null ? null : Number.parseInt(color.slice(1), 16))

/** `mutual_defense` as Mutual defense. */
export const readable = (key: string): string => {
  const words = key.replaceAll('_', ' ')
  return name(words.charAt(0).toUpperCase() + words.slice(1))
}

type TermList = keyof {
  [L in keyof Game as Game[L] extends { key: string; label: string }[] ? L : never]: true
}

export type Terms = Awaited<ReturnType<typeof gameTerms>>

/** The game's labels for the keys of the API; keys made readable while it is unavailable. */
export async function gameTerms(api: Api) {
  const game = await api.game.get().catch(() => undefined)
  return {
    ranks: game?.ranks ?? [],
    label(list: TermList, key: string): string {
      const label = game?.[list].find(term => term.key === key)?.label
      return label === undefined ? readable(key) : name(label)
    },
  }
}

/** Northern Pact [NP]. */
export const taggedName = (of: { name: string; tag?: string | null }): string =>
  of.tag ? `${name(of.name)} [${name(of.tag)}]` : name(of.name)

/** With the names at the declaration of the war. */
export const sideText = ({ nation_name, alliance_name }: War['attacker'], max?: number): string =>
  alliance_name === null ? name(nation_name, max) : `${name(nation_name, max)} (${name(alliance_name, max)})`

type Party = War['attacker_type'] | undefined

/** The alliance or nation that a side is. */
export const partyName = ({ nation_name, alliance_name }: War['attacker'], type: Party): string =>
  name(type === 'alliance' && alliance_name !== null ? alliance_name : nation_name)

/** The same with the nation that leads the alliance, or the alliance of the nation. */
export const partyText = (side: War['attacker'], type: Party, max?: number): string =>
  type === 'alliance' && side.alliance_name !== null
    ? `${name(side.alliance_name, max)} (led by ${name(side.nation_name, max)})`
    : sideText(side, max)

export const membershipText = (of: Nation['alliance'], terms: Terms): string =>
  of === null ? 'none' : `${taggedName(of.alliances)}, ${terms.label('ranks', of.rank)}`

/** 1,200 soldiers, 31 tanks. */
export const lossesText = (losses: Record<string, number>, terms: Terms): string =>
  Object.entries(losses)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${number(count)} ${terms.label('units', unit).toLowerCase()}`)
    .join(', ') || 'none'

/** The game's own outcome, else the fixed one. */
export const outcomeText = (
  { status, outcome, game_outcome }: Pick<War, 'status' | 'outcome'> & { game_outcome?: string | null },
  terms?: Terms,
): string =>
  game_outcome && terms
    ? terms.label('war_outcomes', game_outcome)
    : readable(game_outcome ?? outcome ?? status).toLowerCase()

/** The fields that this game adds to the API's. */
export const attributeFields = (attributes: Record<string, unknown>): APIEmbedField[] =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.length > 0 ? fact(readable(key), name(value.join(', '), 500)) : []
    if (value === null || typeof value === 'object') return []
    return fact(readable(key), typeof value === 'number' ? number(value) : name(String(value)))
  })
