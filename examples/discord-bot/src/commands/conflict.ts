import type { Conflict } from '@chancery/client'
import { type APIEmbedField, EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import type { Bot } from '../command.ts'
import { addFields, fact, gameTerms, list, lossesText, type Terms } from '../format.ts'
import { type PagedInteraction, paged, pageRequest } from '../pages.ts'
import { counted, day, name, number } from '../text.ts'

const alliancesMax = 6

export const data = new SlashCommandBuilder()
  .setName('conflict')
  .setDescription('Shows the global conflicts, the latest first')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const { data, pagination } = await api.conflicts.list({ page: request.page, limit: 1 })
  const [of] = data
  if (!of) return 'There was no global conflict yet.'
  const terms = await gameTerms(api)
  const ended = of.ended_at === null ? 'ended' : `ended ${day(of.ended_at)}`
  const embed = new EmbedBuilder()
    .setTitle(name(of.name, 200))
    .setDescription(of.cause && name(of.cause, 1_000))
    .setFooter({ text: `Conflict ${of.id}` })
  addFields(embed, [
    ...fact('Started', day(of.started_at)),
    ...fact('Status', of.status === 'active' ? 'active' : ended),
    ...fact('Wars', `${number(of.wars.active)} of ${number(of.wars.total)} are active`),
    ...fact('Battles', number(of.battles_count)),
    ...of.sides.map(side => sideField(side, terms)),
  ])
  return paged(embed, request, pagination.pages)
}

function sideField(side: Conflict['sides'][number], terms: Terms): APIEmbedField {
  const alliances = side.alliances.filter(({ left_at }) => left_at === null).map(of => name(of.name, 50))
  const shown = alliances.slice(0, alliancesMax).join(', ')
  return list(name(side.name), [
    alliances.length > alliancesMax ? `${shown} and ${alliances.length - alliancesMax} more` : shown,
    `${counted(side.nation_count, 'nation')}, ${counted(side.battles_won, 'battle')} won`,
    `Lost: ${lossesText(side.losses, terms)}`,
  ])
}
