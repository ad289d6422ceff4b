import { timestamp } from './calendar.ts'
import { join, leave, withdraw } from './membership.ts'
import { attributeValues, counts } from './nation.ts'
import { Random } from './random.ts'
import type { Alliance, Nation, WorldState } from './state.ts'
import { put, randomMoment, remove, type Step } from './step.ts'
import { endTreaty } from './treaties.ts'

const blocs = 3
const reportEveryDays = 4

export function makeAlliance(
  world: WorldState,
  random: Random,
  { id, family, foundedAt }: { id: string; family: number; foundedAt: number },
): Alliance {
  const { name, tag } = world.names.alliance(random)
  return {
    id,
    name,
    tag,
    foundedAt,
    family,
    bloc: random.integer(0, blocs - 1),
    recruiting: random.chance(0.75),
    members: [],
    treasury: {
      credits: random.integer(20_000, 900_000),
      stocks: world.vocabulary.goods.map(good => Math.round(good.yieldPerCity * random.range(1, 40))),
    },
    warsActive: 0,
    isDissolving: false,
  }
}

const creeds = (name: string) => [
  `${name} was founded by people who were tired of being neighbours and decided to be friends.`,
  'Mutual defence, fair prices, no drama. Two of the three are enforced.',
  `Trade first. War when it must be. Tea always.`,
  `We answer every attack on a member, the same night if possible.`,
  `Old hands teach, new hands learn. Apply with a short word on who you are.`,
  `Loyal to our treaties, patient with our enemies, loud at our own feasts.`,
  `A quiet corner of the world that would like to stay one.`,
  `${name} keeps a library, a war chest and a long memory.`,
  `Twelve founders, four of whom still speak to each other.`,
  `We keep the sea lanes open and the toll low.`,
]
const moderationNotes = [
  'Description reviewed after a report: fine.',
  'Tag contested by another alliance; first come keeps it.',
]

export function reportAlliance(step: Step, alliance: Alliance, random: Random) {
  const { profile } = step.world.vocabulary
  put(step, 'alliance', alliance.foundedAt, {
    id: alliance.id,
    name: alliance.name,
    tag: alliance.tag,
    color: `#${random.integer(0x202020, 0xd8d8d8).toString(16)}`,
    ...(random.chance(0.85) ? { description: random.pick(creeds(alliance.name)) } : {}),
    founded_at: timestamp(alliance.foundedAt),
    recruiting: alliance.recruiting,
    attributes: attributeValues(profile.attributes.alliance, random, {
      family: alliance.family,
      since: alliance.foundedAt,
      lists: new Random(step.world.seed, alliance.id, 'lists'),
    }),
    treasury: treasuryOf(step.world, alliance),
    ...(random.chance(0.04) ? { moderation_notes: random.pick(moderationNotes) } : {}),
  })
}

const treasuryOf = ({ vocabulary }: WorldState, { treasury }: Alliance) => ({
  credits: treasury.credits,
  resources: counts(vocabulary.goods, good => treasury.stocks[good.index] ?? 0),
})

/** Founds, renames and dissolves alliances, collects dues, and changes recruiting. */
export function updateAlliances(step: Step) {
  const { world, days, isLive } = step
  const random = step.random('alliances')
  if (isLive) {
    if (world.alliances.length > 0 && random.chance(0.2)) collect(step, random.pick(world.alliances), random)
    return
  }
  for (const alliance of [...world.alliances]) {
    if (alliance.isDissolving) deleteAlliance(step, alliance)
    else if (mayDissolve(world, alliance) && random.chance(alliance.members.length === 0 ? 1 : 0.006))
      dissolve(step, alliance)
    else if (random.chance(0.0016)) rename(step, alliance, random)
    else if (random.chance(0.006)) {
      alliance.recruiting = !alliance.recruiting
      put(step, 'alliance', randomMoment(step, random), { id: alliance.id, recruiting: alliance.recruiting })
    } else if (random.chance(1 / reportEveryDays)) collect(step, alliance, random)
  }
  for (let left = random.occurrences(world.nations.length * 0.00016 * days); left > 0; left--)
    found(step, random)
}

/** Dues since the last report, and spending on wars. */
function collect(step: Step, alliance: Alliance, random: Random) {
  const { world } = step
  const days = step.isLive ? 0.02 : reportEveryDays
  let cities = 0
  for (const member of alliance.members) cities += member.cities
  const { treasury } = alliance
  const spent = alliance.warsActive > 0 ? random.range(0.03, 0.12) : random.range(0, 0.03)
  treasury.credits = Math.round(treasury.credits * (1 - spent) + cities * 420 * days)
  treasury.stocks = world.vocabulary.goods.map(good => {
    const stock = treasury.stocks[good.index] ?? 0
    return Math.round(stock * (1 - spent) + good.needPerCity * cities * 0.06 * days * random.range(0.2, 1))
  })
  put(step, 'alliance', step.until, { id: alliance.id, treasury: treasuryOf(world, alliance) })
}

function rename(step: Step, alliance: Alliance, random: Random) {
  const at = randomMoment(step, random)
  const oldName = alliance.name
  const { name, tag } = step.world.names.alliance(random)
  alliance.name = name
  alliance.tag = tag
  put(step, 'alliance', at, { id: alliance.id, name, tag })
  step.occurrences.push({ kind: 'alliance_renamed', at, alliance, oldName })
}

function found(step: Step, random: Random) {
  const { world } = step
  const free = new Set<Nation>()
  for (let looks = 0; looks < 40; looks++) {
    const nation = random.pick(world.nations)
    const isFree = nation.alliance === null && nation.appliesTo === null && nation.movedAt <= step.from
    if (isFree && nation.status === 'active') free.add(nation)
  }
  const founders = [...free].slice(0, random.integer(2, 5))
  const [founder] = founders
  if (!founder) return
  const foundedAt = randomMoment(step, random)
  const alliance = makeAlliance(world, random, { id: step.nextId('a'), family: founder.family, foundedAt })
  world.alliances.push(alliance)
  reportAlliance(step, alliance, random)
  const { leaderRank, memberRank } = world.vocabulary
  founders.forEach((nation: Nation, index) => {
    join(step, nation, alliance, { rank: index === 0 ? leaderRank : memberRank, at: foundedAt })
  })
  step.occurrences.push({ kind: 'alliance_founded', at: foundedAt, alliance, founder })
}

const mayDissolve = ({ conflict }: WorldState, alliance: Alliance) =>
  alliance.members.length <= 3 &&
  !conflict?.sides.some(side => side.alliances.some(entry => entry.alliance === alliance))

/** Members leave and treaties end on one day; the alliance is deleted on the next. */
function dissolve(step: Step, alliance: Alliance) {
  const { world, until } = step
  alliance.isDissolving = true
  for (const nation of [...alliance.members]) leave(step, nation, until)
  for (const treaty of world.treaties.filter(({ alliances }) => alliances.includes(alliance))) {
    endTreaty(step, treaty, until)
  }
  for (const nation of world.nations) {
    if (nation.appliesTo === alliance) withdraw(step, nation, until)
  }
  step.occurrences.push({ kind: 'alliance_disbanded', at: until, alliance })
}

function deleteAlliance(step: Step, alliance: Alliance) {
  step.world.alliances = step.world.alliances.filter(other => other !== alliance)
  remove(step, 'alliance', alliance.id, step.from)
}
