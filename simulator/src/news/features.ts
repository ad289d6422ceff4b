import { changePercent } from '../market.ts'
import { placeName } from '../names/name-book.ts'
import { grouped, listing, type Story, type StoryContext, type StoryWriter, within } from './story.ts'

/** A story for a day without news. */
export function feature({ world, random }: StoryContext): Story {
  const nation = random.pick(world.nations)
  const place = placeName(random, nation.family)
  const good = nation.mainGood?.label.toLowerCase() ?? 'grain'
  const base = { topic: 'world' as const, nations: [nation] }
  return random.pick<() => Story>([
    () => ({
      ...base,
      title: `A letter from ${place}`,
      paragraphs: [
        `In ${place}, the harbour master of **${nation.name}** writes, they have painted the lighthouse. It took two summers because of the gulls.`,
        `The price of ${good} is discussed there before the weather, and the weather before politics.`,
      ],
    }),
    () => ({
      ...base,
      title: `${nation.name} opens a railway to ${place}`,
      paragraphs: [
        `The line from the capital of **${nation.name}** to ${place} was opened by ${nation.leader}, who drove the first train and was late.`,
        `It will carry ${good} on weekdays and families on Sundays.`,
      ],
    }),
    () => ({
      ...base,
      title: `Five questions for ${nation.leader}`,
      paragraphs: [
        `The head of **${nation.name}** on ${good}, ${nation.cities} cities and the art of saying no.`,
        `**What do you read first in the morning?** “The list of ships.”`,
        `**And last at night?** “The same list. It is shorter by then.”`,
        `**${grouped(nation.score)} points: satisfied?** “Ask my neighbours.”`,
      ],
    }),
    () => ({
      ...base,
      title: `${place} wins the regatta, protest pending`,
      paragraphs: [
        `The crew of ${place} (**${nation.name}**) crossed the line first, and the jury’s boat second.`,
        `The jury sits on Thursday.`,
      ],
    }),
    () => ({
      ...base,
      title: `Seen from above: the cities of ${nation.name}`,
      paragraphs: [
        `${grouped(nation.cities)} cities on ${grouped(nation.land)} square kilometres: our mapmaker has drawn **${nation.name}** anew.`,
        `The sheet with ${place} had to be printed twice. The river has moved.`,
      ],
    }),
  ])()
}

/** The strongest nations, as in the public rankings. */
export function standings({ world, random }: StoryContext): Story {
  const top: typeof world.nations = []
  for (const nation of world.nations) {
    const place = top.findIndex(other => other.score < nation.score)
    if (place >= 0) top.splice(place, 0, nation)
    else if (top.length < 5) top.push(nation)
    if (top.length > 5) top.pop()
  }
  const [first] = top
  const rest = top.slice(1).map(({ name }) => name)
  return {
    title: random.pick([
      `Still unmatched? ${first?.name ?? 'Nobody'} leads with ${grouped(first?.score ?? 0)} points`,
      `${grouped((first?.score ?? 0) - (top[1]?.score ?? 0))} points between ${first?.name ?? 'nobody'} and ${rest[0] ?? 'nobody'}`,
      `${first?.name ?? 'Nobody'} at the top, ${rest[random.integer(0, 3)] ?? 'nobody'} at its heels`,
    ]),
    paragraphs: [
      `**${first?.name}** leads the nations, followed by ${listing(rest)}.`,
      top.map(({ name, score }, index) => `${index + 1}. ${name}: ${grouped(score)} points`).join('\n'),
    ],
    topic: 'world',
    nations: top,
    alliances: [],
  }
}

const moved = (percent: number) => `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`

export const priceMoved: StoryWriter<'price_moved'> = ({ good, price, percent }, { world, random }) => {
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
  }
}

/** The market of the week. */
export function marketReport({ world, random }: StoryContext): Story | undefined {
  const { market, vocabulary, wars } = world
  const books = [...market.books].sort((one, other) => changePercent(other) - changePercent(one))
  const [best] = books
  const worst = books.at(-1)
  if (!best || !worst || best === worst) return undefined
  const rows = market.books.map(
    book => `| ${book.good.label} | ${book.price} | ${moved(changePercent(book))} |`,
  )
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
  }
}
