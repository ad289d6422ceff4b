import { hourSeconds, written } from './calendar.ts'
import type { Said } from './fact.ts'
import type { Random } from './random.ts'
import type { Good, Vocabulary } from './vocabulary.ts'

/** Trade of one good within one hour. */
interface Hour {
  startsAt: number
  open: number
  high: number
  low: number
  volume: number
  value: number
  trades: number
}

interface Book {
  good: Good
  price: number
  /** A world’s own luck with a good: some are scarce in it, some plenty. */
  scarcity: number
  /** A passing fright or glut, fading day by day. */
  shock: number
  hours: Hour[]
  saidPrice: number
}

/** Prices follow what the cities yield and need, and what wars use up. Only the last 24 hours are remembered. */
export interface Market {
  books: Book[]
  supply: number[]
  demand: number[]
  cities: number
}

const round = (price: number) => Math.max(0.01, Math.round(price * 100) / 100)

export function openMarket(vocabulary: Vocabulary, random: Random): Market {
  return {
    books: vocabulary.goods.map(good => {
      const scarcity = Math.exp(random.normal() * 0.15)
      return { good, price: round(good.basePrice * scarcity), scarcity, shock: 0, hours: [], saidPrice: 0 }
    }),
    supply: vocabulary.goods.map(() => 0),
    demand: vocabulary.goods.map(() => 0),
    cities: 0,
  }
}

/** What the price is drawn to. `warShare` is the share of nations at war. */
function drawnTo(market: Market, book: Book, warShare: number): number {
  const { good, scarcity, shock } = book
  const supply = market.supply[good.index] ?? 0
  const demand = (market.demand[good.index] ?? 0) * (1 + warShare * good.warDemand * 1.5)
  const ratio = supply > 0 && demand > 0 ? demand / supply : 1
  return good.basePrice * scarcity * Math.min(3, Math.max(0.4, ratio ** 0.7)) * Math.exp(shock)
}

/** Lets the market trade until a moment, hour by hour; of longer spans only the last day is traded. */
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
  // Of a moment’s trade only some goods see any.
  if (elapsed < 0.03 && !random.chance(0.3)) return
  const target = drawnTo(market, book, warShare)
  const pull = Math.log(target / book.price) * 0.01 * elapsed
  // A floor under the elapsed time: a market that is looked at every few seconds still shows life.
  const noise = random.normal() * 0.0055 * Math.sqrt(Math.max(elapsed, 0.03))
  book.price = round(book.price * Math.exp(pull + noise))
  book.shock *= Math.exp(-0.02 * elapsed)
  let current = book.hours.at(-1)
  if (!current || current.startsAt !== hour) {
    const open = book.price
    current = { startsAt: hour, open, high: open, low: open, volume: 0, value: 0, trades: 0 }
    book.hours.push(current)
  }
  current.high = Math.max(current.high, book.price)
  current.low = Math.min(current.low, book.price)
  const volume = Math.round((market.demand[book.good.index] ?? 0) * 0.02 * elapsed * random.range(0.5, 1.5))
  if (volume === 0) return
  current.volume += volume
  current.value += Math.round(volume * book.price)
  current.trades += 1 + random.occurrences(Math.min(25, volume / 40))
}

/** A fright (above 0) or a glut (below) on the market of a good. */
export function shake(market: Market, good: Good, shock: number) {
  const book = market.books[good.index]
  if (book) book.shock = Math.max(-0.5, Math.min(0.6, book.shock + shock))
}

export const priceOf = (market: Market, good: Good) => market.books[good.index]?.price ?? good.basePrice

/** Change of the price over the last 24 hours, in percent with two decimals. */
export function changeOf({ price, hours }: Book): number {
  const before = hours[0]?.open ?? price
  return Math.round(((price - before) / before) * 10_000) / 100
}

/** Whole rows of the goods whose price has changed since they were last told. */
export function marketRows(market: Market, currency: string, at: number): Said<'market_price'>[] {
  const rows: Said<'market_price'>[] = []
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
      best_bid: round(price * (1 - spread)),
      best_ask: round(price * (1 + spread)),
      high_24h: hours.reduce((high, hour) => Math.max(high, hour.high), price),
      low_24h: hours.reduce((low, hour) => Math.min(low, hour.low), price),
      volume_24h: sum(hour => hour.volume),
      traded_value_24h: sum(hour => hour.value),
      trades_24h: sum(hour => hour.trades),
      change_24h_percent: changeOf(book),
      as_of: written(at),
    })
  }
  return rows
}
