import { currencyOf } from '@chancery/contract'
import { hourSeconds, timestamp } from './calendar.ts'
import type { PutData } from './fact.ts'
import type { Random } from './random.ts'
import type { Good, Vocabulary } from './vocabulary.ts'

/** Trade of one good within one hour. */
interface Hour {
  startsAt: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  value: number
  trades: number
}

interface Book {
  good: Good
  price: number
  /** Scarcity of the good in this world. */
  scarcity: number
  /** A temporary price shock that fades daily. */
  shock: number
  hours: Hour[]
  saidPrice: number
}

/** Prices follow the supply and demand of cities and wars. Stores the last 24 hours. */
export interface Market {
  books: Book[]
  supply: number[]
  demand: number[]
  cities: number
  decimals: number
}

/** Prices have two decimals at most, and at least one unit of the last. */
function round(price: number, decimals: number): number {
  const parts = 10 ** decimals
  return Math.max(1, Math.round(price * parts)) / parts
}

export function openMarket(vocabulary: Vocabulary, random: Random): Market {
  const decimals = Math.min(2, currencyOf(vocabulary.profile).price_decimals)
  return {
    books: vocabulary.goods.map(good => {
      const scarcity = Math.exp(random.normal() * 0.15)
      const price = round(good.basePrice * scarcity, decimals)
      return { good, price, scarcity, shock: 0, hours: [], saidPrice: 0 }
    }),
    supply: vocabulary.goods.map(() => 0),
    demand: vocabulary.goods.map(() => 0),
    cities: 0,
    decimals,
  }
}

/** The price that the market approaches. `warShare`: the share of nations at war. */
function targetPrice(market: Market, book: Book, warShare: number): number {
  const { good, scarcity, shock } = book
  const supply = market.supply[good.index] ?? 0
  const demand = (market.demand[good.index] ?? 0) * (1 + warShare * good.warDemand * 1.5)
  const ratio = supply > 0 && demand > 0 ? demand / supply : 1
  return good.basePrice * scarcity * Math.min(3, Math.max(0.4, ratio ** 0.7)) * Math.exp(shock)
}

/** Trades hour by hour; of longer periods only the last day. */
export function trade(
  market: Market,
  random: Random,
  span: { from: number; until: number; warShare: number },
) {
  const first = Math.max(span.from, span.until - 24 * hourSeconds)
  for (const book of market.books) {
    for (let at = first; at < span.until; ) {
      const hour = Math.floor(at / hourSeconds) * hourSeconds
      const next = Math.min(span.until, hour + hourSeconds)
      tradeWithin(market, book, random, { hour, elapsed: (next - at) / hourSeconds, warShare: span.warShare })
      at = next
    }
    const oldest = Math.floor(span.until / hourSeconds) * hourSeconds - 24 * hourSeconds
    book.hours = book.hours.filter(hour => hour.startsAt > oldest)
  }
}

function tradeWithin(
  market: Market,
  book: Book,
  random: Random,
  { hour, elapsed, warShare }: { hour: number; elapsed: number; warShare: number },
) {
  // In short periods only some goods are traded.
  if (elapsed < 0.03 && !random.chance(0.3)) return
  const target = targetPrice(market, book, warShare)
  const pull = Math.log(target / book.price) * 0.01 * elapsed
  // A minimum of elapsed time, so that a market that is updated every few seconds still moves.
  const noise = random.normal() * 0.0055 * Math.sqrt(Math.max(elapsed, 0.03))
  book.price = round(book.price * Math.exp(pull + noise), market.decimals)
  book.shock *= Math.exp(-0.02 * elapsed)
  let current = book.hours.at(-1)
  if (!current || current.startsAt !== hour) {
    const open = book.price
    current = { startsAt: hour, open, high: open, low: open, close: open, volume: 0, value: 0, trades: 0 }
    book.hours.push(current)
  }
  current.high = Math.max(current.high, book.price)
  current.low = Math.min(current.low, book.price)
  current.close = book.price
  const volume = Math.round((market.demand[book.good.index] ?? 0) * 0.02 * elapsed * random.range(0.5, 1.5))
  if (volume === 0) return
  current.volume += volume
  current.value += Math.round(volume * book.price)
  current.trades += 1 + random.occurrences(Math.min(25, volume / 40))
}

/** The prices at the end of every `every`th hour of a step, for the curves of the history. */
export function hourlyPrices(
  { books }: Market,
  { from, until, every }: { from: number; until: number; every: number },
): PutData<'market_price'>[] {
  const isListed = ({ startsAt }: Hour) =>
    startsAt >= from && startsAt + hourSeconds <= until && (startsAt / hourSeconds) % every === 0
  return books.flatMap(({ good, hours }) =>
    hours.filter(isListed).map(({ startsAt, close }) => ({
      resource: good.key,
      price: close,
      as_of: timestamp(startsAt + hourSeconds - 1),
    })),
  )
}

/** Raises or lowers the price of a good temporarily. */
export function shockPrice(market: Market, good: Good, shock: number) {
  const book = market.books[good.index]
  if (book) book.shock = Math.max(-0.5, Math.min(0.6, book.shock + shock))
}

export const priceOf = (market: Market, good: Good) => market.books[good.index]?.price ?? good.basePrice

/** Change of the price over the last 24 hours, in percent with two decimals. */
export function changePercent({ price, hours }: Book): number {
  const before = hours[0]?.open ?? price
  return Math.round(((price - before) / before) * 10_000) / 100
}

/** Complete rows of the goods whose price has changed since the last report. */
export function marketRows(market: Market, currency: string, at: number): PutData<'market_price'>[] {
  const rows: PutData<'market_price'>[] = []
  for (const book of market.books) {
    const { good, price, hours } = book
    if (price === book.saidPrice) continue
    book.saidPrice = price
    const spread = 0.004 + good.basePrice * 0.000005
    const sum = (of: (hour: Hour) => number) => hours.reduce((total, hour) => total + of(hour), 0)
    rows.push({
      resource: good.key,
      price,
      currency,
      best_bid: round(price * (1 - spread), market.decimals),
      best_ask: round(price * (1 + spread), market.decimals),
      high_24h: hours.reduce((high, hour) => Math.max(high, hour.high), price),
      low_24h: hours.reduce((low, hour) => Math.min(low, hour.low), price),
      volume_24h: sum(hour => hour.volume),
      traded_value_24h: sum(hour => hour.value),
      trades_24h: sum(hour => hour.trades),
      change_24h_percent: changePercent(book),
      as_of: timestamp(at),
    })
  }
  return rows
}
