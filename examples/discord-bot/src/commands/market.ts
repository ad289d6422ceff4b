import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, fact, gameTerms, readable } from '../format.ts'
import { amount, compact, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('market')
  .setDescription('Shows the prices of the market')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const { data, pagination } = await api.market.price({ page: request.page, limit: 15 })
  if (data.length === 0) return 'There are no prices.'
  const terms = await gameTerms(api)
  const fields = data.flatMap(of => {
    const { change_24h_percent: change, volume_24h: volume } = of
    const price = `${amount(of.price)} ${readable(of.currency).toLowerCase()}`
    const moved = change === null ? '' : ` (${change > 0 ? '+' : ''}${number(change)} %)`
    const traded = volume === null ? null : `${compact(volume)} traded`
    return fact(terms.label('resources', of.resource), price + moved, traded)
  })
  const embed = new EmbedBuilder({
    title: 'Market',
    footer: { text: 'Price, change and volume of 24 hours' },
  })
  return paged(addFields(embed, fields), request, pagination.pages)
}
