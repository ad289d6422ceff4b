import { daySeconds, written } from '../calendar.ts'
import type { Happening } from '../happening.ts'
import { leaderName, placeName } from '../names/name-book.ts'
import { Random } from '../random.ts'
import type { WorldState } from '../state.ts'
import { put, type Step } from '../step.ts'
import { conflictReport } from './conflict-stories.ts'
import type { Desk, Story } from './desk.ts'
import { feature, standings } from './features.ts'
import { marketReport } from './market-stories.ts'
import { tell, weightOf } from './stories.ts'

const storiesADay = { least: 1, most: 4 }
/** So many stories at least make a history, however short: its days bring more. */
const storiesOfHistory = 36
/** Kinds of which a day may bring two stories; of the others one is enough. */
const often = new Set<Happening['kind']>(['war_declared', 'war_ended', 'battle', 'conflict_joined'])

/** Chooses what is worth telling, writes it and publishes it. */
export function publishNews(step: Step) {
  const random = step.random('news')
  const desk: Desk = { world: step.world, random }
  const least = Math.max(storiesADay.least, Math.min(storiesADay.most, leastToday(step)))
  const space = step.isLive ? 1 : random.integer(least, storiesADay.most)
  // A tick brings news only now and then, unless it is great.
  const bar = step.isLive ? (random.chance(0.05) ? 0.5 : 8) : 1
  const told = new Map<Happening['kind'], number>()
  const ranked = step.happenings
    .map(happening => ({ happening, weight: weightOf(happening) * random.range(0.4, 1.6) }))
    .filter(({ weight }) => weight >= bar)
    .sort((one, other) => other.weight - one.weight)
  let left = space
  for (const { happening, weight } of ranked) {
    if (left <= 0 && weight < 60) break
    const before = told.get(happening.kind) ?? 0
    if (before >= (often.has(happening.kind) ? 2 : 1)) continue
    told.set(happening.kind, before + 1)
    publish(step, tell(happening, desk), happening.at + random.integer(600, 9000), random)
    left--
  }
  const fillers = step.isLive ? 0 : Math.min(left, least - 1)
  for (let filler = 0; filler < fillers; filler++) {
    publish(step, feature(desk), step.until - random.integer(3, 20) * 3600, random)
  }
  if (!step.isLive) publishColumns(step, desk)
  const isWorthTelling = step.facts.some(
    fact => fact.op === 'event' || (fact.op === 'put' && ['battle', 'war'].includes(fact.resource)),
  )
  if (step.isLive && !isWorthTelling && left > 0) publish(step, feature(desk), step.until, random)
}

const leastToday = ({ world, until, daysLeft }: Step) =>
  Math.ceil(storiesOfHistory / (Math.round((until - world.startsAt) / daySeconds) + daysLeft))

/** What the papers bring whatever happens: the exchange, the table, the state of the conflict, a feature. */
function publishColumns(step: Step, desk: Desk) {
  const { world, until } = step
  const { random } = desk
  const day = Math.round((until - world.startsAt) / daySeconds)
  const morning = until - random.integer(3, 9) * 3600
  if (day % 7 === 5) {
    const report = marketReport(desk)
    if (report) publish(step, report, morning, random)
  }
  if (day % 10 === 8) publish(step, standings(desk), morning, random)
  if (world.conflict && day % 5 === 0 && world.conflict.battles > 0) {
    publish(step, conflictReport(world.conflict, until, desk), morning, random)
  }
  if (random.chance(0.22)) publish(step, feature(desk), morning, random)
}

const topics: Record<Story['topic'], RegExp> = {
  war: /war|battle|milit|conflict/,
  diplomacy: /diplo|politic|court|treat/,
  economy: /econ|market|trade|financ/,
  world: /world|general|life|cultur/,
}

function publish(step: Step, story: Story, at: number, random: Random) {
  const { world } = step
  const { news_categories: categories } = world.vocabulary.profile
  const category = categories.find(({ key }) => topics[story.topic].test(key)) ?? categories.at(-1)
  const publishedAt = Math.min(at, step.until)
  put(
    step,
    'news_item',
    {
      id: step.nextId('news'),
      title: story.title.slice(0, 1).toUpperCase() + story.title.slice(1),
      body: story.paragraphs.join('\n\n'),
      ...(category ? { category: category.key } : {}),
      author: bylineOf(world, story.topic, random),
      published_at: written(publishedAt),
      nation_ids: [...new Set(story.nations.map(({ id }) => id))],
      // An alliance of a war’s beginning may be gone by its end.
      alliance_ids: [
        ...new Set(
          story.alliances.flatMap(alliance =>
            alliance && world.alliances.includes(alliance) ? alliance.id : [],
          ),
        ),
      ],
    },
    publishedAt,
  )
}

/** A game of a longer name gives it to no paper. */
const mastheadLengthMax = 40

/** The same few reporters and papers for the whole life of a world. */
function bylineOf({ seed, vocabulary }: WorldState, topic: Story['topic'], random: Random): string {
  const desk = new Random(seed, 'reporters', topic, random.integer(1, 4))
  const { name } = vocabulary.profile
  const reporter = leaderName(desk, desk.integer(0, 8))
  const paper = desk.pick([
    name.length > mastheadLengthMax ? 'The Courier' : `The ${name} Courier`,
    `${placeName(desk, desk.integer(0, 8))} Gazette`,
    'The Evening Ledger',
    'The Free Signal',
    topic === 'economy' ? 'Exchange Notes' : 'Harbour and Field',
  ])
  return `${reporter}, ${paper}`
}
