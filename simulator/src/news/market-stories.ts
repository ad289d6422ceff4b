import { changeOf } from '../market.ts'
import { type Desk, type Story, type Teller, within } from './desk.ts'

const moved = (percent: number) => `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`

export const priceMoved: Teller<'price_moved'> = ({ good, price, percent }, { world, random }) => {
  const { label } = good
  const isUp = percent > 0
  const isWar = world.conflict !== null && good.warDemand > 0.4 && isUp
  return {
    title: random.pick(
      isUp
        ? [
            `${label} dearer by ${percent.toFixed(1)} % in a day`,
            `Run on ${label.toLowerCase()} lifts it to ${price}`,
            `${label} climbs to ${price}`,
          ]
        : [
            `${label} falls by ${Math.abs(percent).toFixed(1)} %`,
            `Glut of ${label.toLowerCase()}: price down to ${price}`,
            `Sellers of ${label.toLowerCase()} look for buyers`,
          ],
    ),
    paragraphs: [
      `**${label}** traded at ${price} at the close, ${moved(percent)} within a day.`,
      isWar
        ? `Brokers name one reason: ${within(world.conflict?.name ?? 'the war')}. “Armies eat ${label.toLowerCase()},” says one of them.`
        : random.pick(
            isUp
              ? [
                  'Warehouses report that deliveries come late and orders early.',
                  'Some suspect hoarding. Nobody suspects himself.',
                  'Producers raise no objections.',
                ]
              : [
                  'Several producers sold on the same morning, and each blames the others.',
                  'Those who bought last week prefer not to talk about it.',
                  'Consumers are pleased; treasuries less so.',
                ],
          ),
    ],
    topic: 'economy',
    nations: [],
    alliances: [],
  }
}

/** The week on the exchange. */
export function marketReport({ world, random }: Desk): Story | undefined {
  const { market, vocabulary, wars } = world
  const books = [...market.books].sort((one, other) => changeOf(other) - changeOf(one))
  const [best] = books
  const worst = books.at(-1)
  if (!best || !worst || best === worst) return undefined
  const rows = market.books.map(book => `| ${book.good.label} | ${book.price} | ${moved(changeOf(book))} |`)
  return {
    title: random.pick([
      `The exchange this week: ${best.good.label} ahead, ${worst.good.label} behind`,
      `Market notes: who sells ${best.good.label.toLowerCase()} sleeps well`,
      `${best.good.label} at ${best.price}, ${worst.good.label.toLowerCase()} at ${worst.price}: the weekly table`,
      `${vocabulary.profile.currency.label} and crates: ${best.good.label.toLowerCase()} up to ${best.price}`,
      `What ${worst.good.label.toLowerCase()} at ${worst.price} means for the small producer`,
      `${worst.good.label} disappoints, ${best.good.label} delights`,
    ]),
    paragraphs: [
      random.pick([
        `With ${wars.length} wars going on, the exchange remains ${wars.length > world.nations.length / 12 ? 'nervous' : 'calm'}.`,
        `A week like others, say those who made money. Those who did not say more.`,
      ]),
      `| | Price | 24 h |\n|---|---|---|\n${rows.join('\n')}`,
    ],
    topic: 'economy',
    nations: [],
    alliances: [],
  }
}
