import { placeName } from '../names/name-book.ts'
import type { Desk, Story } from './desk.ts'
import { grouped, listing } from './desk.ts'

/** Something to read on a day without news. */
export function feature({ world, random }: Desk): Story {
  const nation = random.pick(world.nations)
  const place = placeName(random, nation.family)
  const good = nation.mainGood?.label.toLowerCase() ?? 'grain'
  const base = { topic: 'world' as const, nations: [nation], alliances: [nation.alliance] }
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

/** The strongest nations, as everybody can read them in the rankings. */
export function standings({ world, random }: Desk): Story {
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
