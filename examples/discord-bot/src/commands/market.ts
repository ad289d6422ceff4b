import type { MarketPrice } from '@chancery/client'
import type { Command } from '../command.ts'
import { compact, number, plain, type Text, text } from '../text.ts'
import { readable } from '../words.ts'
import { orNothing } from './parts.ts'

const pricesOnPage = 15

export const market: Command = {
  name: 'market',
  description: 'Shows the prices of the market',
  options: [],
  async run({ page }, { api, words }) {
    const prices = await api.market.price({ page, limit: pricesOnPage })
    const fields = await Promise.all(
      prices.data.map(async price => ({
        name: plain(await words.label('resources', price.resource)),
        lines: [priceText(price)],
        isInline: true,
      })),
    )
    return {
      embeds: [
        {
          title: plain('Market'),
          lines: fields.length > 0 ? [] : orNothing([], 'Nothing is traded.'),
          fields,
          footer: plain('Price, change within a day, and what was traded in that time'),
        },
      ],
      pages: { page, pages: prices.pagination.pages, again: {} },
    }
  },
}

function priceText(of: MarketPrice): Text {
  const { price, change_24h_percent: change, volume_24h: volume } = of
  const currency = readable(of.currency).toLowerCase()
  const moved = change === null ? '' : ` (${change > 0 ? '+' : ''}${number(change)} %)`
  return text`${price} ${currency}${moved}${volume === null ? '' : `, ${compact(volume)} traded`}`
}
