import type { MarketPrice } from '@chancery/client'
import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import type { Bot } from '../command.ts'
import { addFields, fact, gameTerms, readable } from '../format.ts'
import { type PagedInteraction, paged, pageRequest } from '../pages.ts'
import { compact, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('market')
  .setDescription('Shows the prices of the market')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const { data, pagination } = await api.market.price({ page: request.page, limit: 15 })
  if (data.length === 0) return 'There are no prices.'
  const terms = await gameTerms(api)
  const embed = new EmbedBuilder()
    .setTitle('Market')
    .setFooter({ text: 'Price, change and volume of 24 hours' })
  const fields = data.flatMap(price => fact(terms.label('resources', price.resource), priceText(price)))
  return paged(addFields(embed, fields), request, pagination.pages)
}

function priceText({ price, currency, change_24h_percent: change, volume_24h: volume }: MarketPrice): string {
  const moved = change === null ? '' : ` (${change > 0 ? '+' : ''}${number(change)} %)`
  const traded = volume === null ? '' : `, ${compact(volume)} traded`
  return `${number(price)} ${readable(currency).toLowerCase()}${moved}${traded}`
}
