import type { MarketPrice } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply } from '../command.ts'
import { fact } from '../embed.ts'
import { readable } from '../game-terms.ts'
import { compact, number } from '../text.ts'

export const market: Command = {
  data: new SlashCommandBuilder().setName('market').setDescription('Shows the prices of the market'),
  async execute({ page }, { api, terms }) {
    const { data, pagination } = await api.market.price({ page, limit: 15 })
    const fields = await Promise.all(
      data.map(async price => fact(await terms.label('resources', price.resource), priceText(price))),
    )
    return reply(
      {
        title: 'Market',
        lines: fields.length > 0 ? [] : ['There are no prices.'],
        fields,
        footer: 'Price, change and volume of 24 hours',
      },
      { page, pages: pagination.pages },
    )
  },
}

function priceText({ price, currency, change_24h_percent: change, volume_24h: volume }: MarketPrice): string {
  const moved = change === null ? '' : ` (${change > 0 ? '+' : ''}${number(change)} %)`
  const traded = volume === null ? '' : `, ${compact(volume)} traded`
  return `${number(price)} ${readable(currency).toLowerCase()}${moved}${traded}`
}
