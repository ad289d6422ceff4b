import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, fact, gameTerms, list, lossesText } from '../format.ts'
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
  const sides = of.sides.map(side => {
    const alliances = side.alliances.filter(({ left_at }) => left_at === null).map(of => name(of.name, 50))
    const shown = alliances.slice(0, alliancesMax).join(', ')
    return list(name(side.name), [
      alliances.length > alliancesMax ? `${shown} and ${alliances.length - alliancesMax} more` : shown,
      `${counted(side.nation_count, 'nation')}, ${counted(side.battles_won, 'battle')} won`,
      `Lost: ${lossesText(side.losses, terms)}`,
    ])
  })
  const embed = new EmbedBuilder()
    .setTitle(name(of.name, 200))
    .setDescription(of.cause && name(of.cause, 1_000))
    .setFooter({ text: `Conflict ${of.id}` })
  addFields(embed, [
    ...fact('Started', day(of.started_at)),
    ...fact('Status', of.status, of.ended_at && day(of.ended_at)),
    ...fact('Wars', `${number(of.wars.active)} of ${number(of.wars.total)} are active`),
    ...fact('Battles', number(of.battles_count)),
    ...sides,
  ])
  return paged(embed, request, pagination.pages)
}
