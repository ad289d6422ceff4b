import type { NationHistoryPoint } from '@chancery/client'
import { type APIEmbedField, type ChatInputCommandInteraction, italic, SlashCommandBuilder } from 'discord.js'
import { chooseNation } from '../choose.ts'
import type { Bot } from '../command.ts'
import { addFields, attributeFields, fact, flagEmbed, gameTerms, membershipText } from '../format.ts'
import { counted, curve, day, name, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('nation')
  .setDescription('Shows a nation')
  .addStringOption(option =>
    option
      .setName('nation')
      .setDescription('Its name, or its leader’s')
      .setRequired(true)
      .setAutocomplete(true),
  )

export async function execute(interaction: ChatInputCommandInteraction, { api }: Bot) {
  const { id, others, total } = await chooseNation(interaction.options.getString('nation', true).trim(), api)
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
  const [of, terms, history] = await Promise.all([
    api.nations.get(id),
    gameTerms(api),
    // The rest is shown without it.
    api.nations.history(id, { from, limit: 31 }).catch(() => undefined),
  ])
  const { wars } = of
  const rank = of.rank === null ? '' : ` (number ${number(of.rank)})`
  const atWar = [
    wars.active_offensive > 0 ? `${number(wars.active_offensive)} declared by it` : '',
    wars.active_defensive > 0 ? `${number(wars.active_defensive)} declared on it` : '',
  ]
  const lines = of.motto === null ? [] : [`“${italic(name(of.motto, 300))}”`]
  if (others.length > 0) {
    const shown = others.slice(0, 3).map(({ nation_name }) => name(nation_name))
    const rest = total - 1 - shown.length
    lines.push(`Also found: ${shown.join(', ')}${rest > 0 ? ` and ${number(rest)} more` : ''}`)
  }
  const embed = flagEmbed(of)
    .setTitle(name(of.nation_name))
    .setDescription(lines.join('\n') || null)
    .setFooter({ text: `Nation ${of.id}` })
  addFields(embed, [
    ...fact('Leader', of.leader_name && name(of.leader_name)),
    ...fact('Score', number(of.national_score) + rank),
    ...fact('Alliance', membershipText(of.alliance, terms)),
    ...fact('Status', of.game_status ? terms.label('nation_statuses', of.game_status) : of.status),
    ...fact(
      'Government',
      of.government && terms.label('governments', of.government),
      of.continent && terms.label('continents', of.continent),
    ),
    ...fact(
      'Land',
      of.city_count === null ? null : counted(of.city_count, 'city', 'cities'),
      of.land_area === null ? null : `${number(of.land_area)} km²`,
    ),
    ...fact('At war', atWar.filter(Boolean).join(', ') || 'no'),
    ...fact('Past wars', `${number(wars.won)} won, ${number(wars.lost)} lost`),
    ...development(history?.data ?? []),
    ...fact('Founded', of.founded_at && day(of.founded_at)),
    ...attributeFields(of.attributes),
  ])
  return { embeds: [embed] }
}

/** The score of the last days, from the second on. */
function development(points: readonly NationHistoryPoint[]): APIEmbedField[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last) return []
  const scores = points.map(({ national_score }) => national_score)
  const value = `${curve(scores)}\n${number(first.national_score)} to ${number(last.national_score)}`
  return [{ name: `Score since ${first.date}`, value, inline: false }]
}
