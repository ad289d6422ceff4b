import { daySeconds, timestamp } from '../calendar.ts'
import { leaderName, placeName } from '../names/name-book.ts'
import { Random } from '../random.ts'
import type { WorldState } from '../state.ts'
import { type Occurrence, put, type Step } from '../step.ts'
import * as conflicts from './conflict-stories.ts'
import { conflictReport } from './conflict-stories.ts'
import { feature, marketReport, priceMoved, standings } from './features.ts'
import * as society from './society-stories.ts'
import type { Story, StoryContext } from './story.ts'
import * as wars from './war-stories.ts'

const storiesADay = { least: 1, most: 4 }
/** The minimum number of stories in a history. */
const storiesOfHistory = 36
/** Kinds that may have two stories per day; others have one. */
const often = new Set<Occurrence['kind']>(['war_declared', 'war_ended', 'battle', 'conflict_joined'])

/** Selects occurrences, writes stories and publishes them. */
export function publishNews(step: Step) {
  const random = step.random('news')
  const desk: StoryContext = { world: step.world, random }
  const least = Math.max(storiesADay.least, Math.min(storiesADay.most, leastToday(step)))
  const space = step.isLive ? 1 : random.integer(least, storiesADay.most)
  // A tick has news only sometimes, or if the value is high.
  const bar = step.isLive ? (random.chance(0.05) ? 0.5 : 8) : 1
  const told = new Map<Occurrence['kind'], number>()
  const ranked = step.occurrences
    .map(happening => ({ happening, weight: weightOf(happening) * random.range(0.4, 1.6) }))
    .filter(({ weight }) => weight >= bar)
    .sort((one, other) => other.weight - one.weight)
  let left = space
  for (const { happening, weight } of ranked) {
    if (left <= 0 && weight < 60) break
    const before = told.get(happening.kind) ?? 0
    if (before >= (often.has(happening.kind) ? 2 : 1)) continue
    told.set(happening.kind, before + 1)
    publish(step, writeStory(happening, desk), happening.at + random.integer(600, 9000), random)
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

/** Regular columns: market, rankings, conflict, feature. */
function publishColumns(step: Step, desk: StoryContext) {
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
      published_at: timestamp(publishedAt),
      nation_ids: [...new Set(story.nations.map(({ id }) => id))],
      // An alliance at the declaration may have been deleted by the end of the war.
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

/** Longer game names are not used in the names of papers. */
const mastheadLengthMax = 40

/** A world has a few fixed reporters and papers. */
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

/** The news value of an occurrence, from 0. */
function weightOf(happening: Occurrence): number {
  switch (happening.kind) {
    case 'conflict_started':
    case 'conflict_ended':
    case 'era_turned':
      return 100
    case 'launch':
      return 12
    case 'conflict_joined':
    case 'conflict_left':
    case 'alliance_disbanded':
      return 9
    case 'alliance_founded':
    case 'alliance_renamed':
      return 7
    case 'leader_changed':
    case 'treaty_signed':
    case 'treaty_ended':
      return 5
    case 'disaster':
      return happening.severity * 1.5
    case 'price_moved':
      return Math.abs(happening.percent) / 2
    case 'war_declared':
      return 1 + (happening.war.attacker.score + happening.war.defender.score) / 900
    case 'war_ended':
      return happening.war.battles === 0
        ? 0
        : 1 + (happening.war.attacker.score + happening.war.defender.score) / 1100
    case 'battle':
      return happening.worth / 350
    case 'nation_renamed':
      return 1.5 + happening.nation.score / 900
    case 'nation_founded':
      return 1.2
  }
}

function writeStory(happening: Occurrence, desk: StoryContext): Story {
  switch (happening.kind) {
    case 'war_declared':
      return wars.warDeclared(happening, desk)
    case 'war_ended':
      return wars.warEnded(happening, desk)
    case 'battle':
      return wars.battleFought(happening, desk)
    case 'launch':
      return wars.weaponLaunched(happening, desk)
    case 'conflict_started':
      return conflicts.conflictStarted(happening, desk)
    case 'conflict_joined':
      return conflicts.conflictJoined(happening, desk)
    case 'conflict_left':
      return conflicts.conflictLeft(happening, desk)
    case 'conflict_ended':
      return conflicts.conflictEnded(happening, desk)
    case 'era_turned':
      return conflicts.eraTurned(happening, desk)
    case 'treaty_signed':
      return society.treatySigned(happening, desk)
    case 'treaty_ended':
      return society.treatyEnded(happening, desk)
    case 'alliance_founded':
      return society.allianceFounded(happening, desk)
    case 'alliance_renamed':
      return society.allianceRenamed(happening, desk)
    case 'alliance_disbanded':
      return society.allianceDisbanded(happening, desk)
    case 'nation_founded':
      return society.nationFounded(happening, desk)
    case 'nation_renamed':
      return society.nationRenamed(happening, desk)
    case 'leader_changed':
      return society.leaderChanged(happening, desk)
    case 'disaster':
      return society.disasterStruck(happening, desk)
    case 'price_moved':
      return priceMoved(happening, desk)
  }
}
