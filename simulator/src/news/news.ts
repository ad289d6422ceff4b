import { daySeconds, timestamp } from '../calendar.ts'
import { leaderName, placeName } from '../names/name-book.ts'
import { Random } from '../random.ts'
import type { WorldState } from '../state.ts'
import { type Occurrence, type OccurrenceOf, put, type Step } from '../step.ts'
import * as conflicts from './conflict-stories.ts'
import { feature, marketReport, priceMoved, standings } from './features.ts'
import * as society from './society-stories.ts'
import type { Story, StoryContext, StoryWriter } from './story.ts'
import * as wars from './war-stories.ts'

const storiesADay = { least: 1, most: 4 }
/** The minimum number of stories in a history. */
const storiesOfHistory = 36
/** Kinds that may have two stories per day; others have one. */
const often = new Set<Occurrence['kind']>(['war_declared', 'war_ended', 'battle', 'conflict_joined'])

/** Selects occurrences, writes stories and publishes them. */
export function publishNews(step: Step) {
  const random = step.random('news')
  const context: StoryContext = { world: step.world, random }
  const least = Math.max(storiesADay.least, Math.min(storiesADay.most, leastToday(step)))
  const space = step.isLive ? 1 : random.integer(least, storiesADay.most)
  // A tick has news only sometimes, or if the value is high.
  const bar = step.isLive ? (random.chance(0.05) ? 0.5 : 8) : 1
  const storiesOfKind = new Map<Occurrence['kind'], number>()
  const ranked = step.occurrences
    .map(occurrence => ({ occurrence, weight: weightOf(occurrence) * random.range(0.4, 1.6) }))
    .filter(({ weight }) => weight >= bar)
    .sort((one, other) => other.weight - one.weight)
  let left = space
  for (const { occurrence, weight } of ranked) {
    if (left <= 0 && weight < 60) break
    const before = storiesOfKind.get(occurrence.kind) ?? 0
    if (before >= (often.has(occurrence.kind) ? 2 : 1)) continue
    storiesOfKind.set(occurrence.kind, before + 1)
    publish(step, writeStory(occurrence, context), occurrence.at + random.integer(600, 9000), random)
    left--
  }
  const fillers = step.isLive ? 0 : Math.min(left, least - 1)
  for (let filler = 0; filler < fillers; filler++) {
    publish(step, feature(context), step.until - random.integer(3, 20) * 3600, random)
  }
  if (!step.isLive) publishColumns(step, context)
  const hasEvents = step.facts.some(
    fact => fact.op === 'event' || (fact.op === 'put' && ['battle', 'war'].includes(fact.resource)),
  )
  if (step.isLive && !hasEvents && left > 0) publish(step, feature(context), step.until, random)
}

const leastToday = ({ world, until, daysLeft }: Step) =>
  Math.ceil(storiesOfHistory / (Math.round((until - world.startsAt) / daySeconds) + daysLeft))

/** Regular columns: market, rankings, conflict, feature. */
function publishColumns(step: Step, context: StoryContext) {
  const { world, until } = step
  const { random } = context
  const day = Math.round((until - world.startsAt) / daySeconds)
  const morning = until - random.integer(3, 9) * 3600
  if (day % 7 === 5) {
    const report = marketReport(context)
    if (report) publish(step, report, morning, random)
  }
  if (day % 10 === 8) publish(step, standings(context), morning, random)
  if (world.conflict && day % 5 === 0 && world.conflict.battles > 0) {
    publish(step, conflicts.conflictReport(world.conflict, until, context), morning, random)
  }
  if (random.chance(0.22)) publish(step, feature(context), morning, random)
}

const topics: Record<Story['topic'], RegExp> = {
  war: /war|battle|milit|conflict/,
  diplomacy: /diplo|politic|court|treat/,
  economy: /econ|market|trade|financ/,
  world: /world|general|life|cultur/,
}

function publish(step: Step, story: Story, at: number, random: Random) {
  const { world } = step
  const { nations = [], alliances = nations.map(({ alliance }) => alliance) } = story
  const { news_categories: categories } = world.vocabulary.profile
  const category = categories.find(({ key }) => topics[story.topic].test(key)) ?? categories.at(-1)
  const publishedAt = Math.min(at, step.until)
  put(step, 'news_item', publishedAt, {
    id: step.nextId('news'),
    title: story.title.slice(0, 1).toUpperCase() + story.title.slice(1),
    body: story.paragraphs.join('\n\n'),
    ...(category ? { category: category.key } : {}),
    author: bylineOf(world, story.topic, random),
    published_at: timestamp(publishedAt),
    nation_ids: [...new Set(nations.map(({ id }) => id))],
    // An alliance at the declaration may have been deleted by the end of the war.
    alliance_ids: [...new Set(alliances.flatMap(of => (of && world.alliances.includes(of) ? of.id : [])))],
  })
}

/** Longer game names are not used in the names of papers. */
const mastheadLengthMax = 40

/** A world has a few fixed reporters and papers. */
function bylineOf({ seed, vocabulary }: WorldState, topic: Story['topic'], random: Random): string {
  const reporterRandom = new Random(seed, 'reporters', topic, random.integer(1, 4))
  const { name } = vocabulary.profile
  const reporter = leaderName(reporterRandom, reporterRandom.integer(0, 8))
  const paper = reporterRandom.pick([
    name.length > mastheadLengthMax ? 'The Courier' : `The ${name} Courier`,
    `${placeName(reporterRandom, reporterRandom.integer(0, 8))} Gazette`,
    'The Evening Ledger',
    'The Free Signal',
    topic === 'economy' ? 'Exchange Notes' : 'Harbour and Field',
  ])
  return `${reporter}, ${paper}`
}

/** The news value of kinds whose occurrences are all equal. */
const weights: Partial<Record<Occurrence['kind'], number>> = {
  conflict_started: 100,
  conflict_ended: 100,
  era_turned: 100,
  launch: 12,
  conflict_joined: 9,
  conflict_left: 9,
  alliance_disbanded: 9,
  alliance_founded: 7,
  alliance_renamed: 7,
  leader_changed: 5,
  treaty_signed: 5,
  treaty_ended: 5,
  nation_founded: 1.2,
}

/** The news value of an occurrence, from 0. */
function weightOf(of: Occurrence): number {
  if (of.kind === 'disaster') return of.severity * 1.5
  if (of.kind === 'price_moved') return Math.abs(of.percent) / 2
  if (of.kind === 'battle') return of.worth / 350
  if (of.kind === 'nation_renamed') return 1.5 + of.nation.score / 900
  if (of.kind !== 'war_declared' && of.kind !== 'war_ended') return weights[of.kind] ?? 0
  const { attacker, defender, battles } = of.war
  if (of.kind === 'war_declared') return 1 + (attacker.score + defender.score) / 900
  return battles === 0 ? 0 : 1 + (attacker.score + defender.score) / 1100
}

const writers: { [K in Occurrence['kind']]: StoryWriter<K> } = {
  war_declared: wars.warDeclared,
  war_ended: wars.warEnded,
  battle: wars.battleFought,
  launch: wars.weaponLaunched,
  conflict_started: conflicts.conflictStarted,
  conflict_joined: conflicts.conflictJoined,
  conflict_left: conflicts.conflictLeft,
  conflict_ended: conflicts.conflictEnded,
  era_turned: conflicts.eraTurned,
  treaty_signed: society.treatySigned,
  treaty_ended: society.treatyEnded,
  alliance_founded: society.allianceFounded,
  alliance_renamed: society.allianceRenamed,
  alliance_disbanded: society.allianceDisbanded,
  nation_founded: society.nationFounded,
  nation_renamed: society.nationRenamed,
  leader_changed: society.leaderChanged,
  disaster: society.disasterStruck,
  price_moved: priceMoved,
}

function writeStory<K extends Occurrence['kind']>(
  of: OccurrenceOf<K> & { kind: K },
  context: StoryContext,
): Story {
  const write: StoryWriter<K> = writers[of.kind]
  return write(of, context)
}
