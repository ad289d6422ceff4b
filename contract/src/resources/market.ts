import { publicField, resource } from '../classification.ts'
import { exampleKey } from '../profile/examples.ts'
import { currencyOf, type Profile } from '../profile/profile.ts'
import { amount, count, decimal, nullable, position, profileEnum, time } from '../shared-schemas.ts'

export function marketPriceResource(profile: Profile) {
  return resource(
    'market_price',
    'The price of one resource on the game’s market.',
    marketPriceFields(profile),
  )
}

function marketPriceFields(profile: Profile) {
  const { decimals, price_decimals } = currencyOf(profile)
  const price = () => amount(price_decimals)
  const rounded = (example: number) => Number(example.toFixed(price_decimals))
  return {
    resource: publicField(profileEnum(profile.resources), {
      description: 'Key of the resource, as in the game profile.',
      example: exampleKey(profile.resources, 5),
    }),
    price: publicField(price(), {
      description: 'Price of the latest trade, for one unit.',
      unit: 'currency',
      example: rounded(412.5),
    }),
    currency: publicField(profileEnum([profile.currency]), {
      description: 'Key of the currency, as in the game profile.',
      example: profile.currency.key,
      default: profile.currency.key,
    }),
    best_bid: publicField(nullable(price()), {
      description: 'Highest price offered by a buyer; null without one.',
      unit: 'currency',
      example: rounded(410),
    }),
    best_ask: publicField(nullable(price()), {
      description: 'Lowest price at which a seller offers; null without one.',
      unit: 'currency',
      example: rounded(414.25),
    }),
    high_24h: publicField(nullable(price()), {
      description: 'Highest price of the last 24 hours.',
      unit: 'currency',
      example: rounded(433),
    }),
    low_24h: publicField(nullable(price()), {
      description: 'Lowest price of the last 24 hours.',
      unit: 'currency',
      example: rounded(389.75),
    }),
    volume_24h: publicField(nullable(count()), {
      description: 'Units traded in the last 24 hours.',
      unit: 'units',
      example: 182000,
    }),
    traded_value_24h: publicField(nullable(amount(decimals)), {
      description: 'Money traded in the last 24 hours.',
      unit: 'currency',
      example: 75075000,
    }),
    trades_24h: publicField(nullable(count()), {
      description: 'Trades in the last 24 hours.',
      unit: 'trades',
      example: 961,
    }),
    change_24h_percent: publicField(nullable(decimal({ minimum: -100 })), {
      description: 'Change of the price over 24 hours.',
      unit: 'percent',
      example: -3.25,
    }),
    as_of: publicField(time(), {
      description: 'When the game computed these numbers.',
      example: '2026-05-27T18:00:00Z',
    }),
  }
}

export function marketRankingResource(profile: Profile) {
  return resource('market_ranking', 'A resource’s place by money traded in the last 24 hours.', {
    rank: publicField(position(), {
      description: 'Place by traded_value_24h; 1 is the most traded.',
      example: 1,
    }),
    ...marketPriceFields(profile),
  })
}
