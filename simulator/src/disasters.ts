import { timestamp } from './calendar.ts'
import { shockPrice } from './market.ts'
import { dirtyPart, markDirty } from './report.ts'
import { randomMoment, type Step } from './step.ts'

const kinds = ['earthquake', 'flood', 'drought', 'storm', 'epidemic'] as const
const severities = ['A slight', 'A', 'A heavy', 'A severe', 'A catastrophic']

/** Sends the demo game’s own kind of event. Kinds of other profiles are not sent: their meaning is unknown. */
export function strikeDisasters(step: Step) {
  const { world, days } = step
  const known = world.vocabulary.profile.event_kinds.find(({ type }) => type === 'game.disaster')
  if (!known || Object.keys(known.data).sort().join() !== 'disaster,nation_id,severity') return
  const random = step.random('disasters')
  for (
    let left = random.occurrences(Math.min(4, 0.2 + world.nations.length * 0.0006) * days);
    left > 0;
    left--
  ) {
    const nation = random.pick(world.nations)
    const disaster = random.pick(kinds)
    const severity = 1 + Math.floor(random.unit() * random.unit() * 5)
    const at = randomMoment(step, random)
    const article = disaster === 'earthquake' || disaster === 'epidemic' ? 'n' : ''
    const adjective = severities[severity - 1] ?? 'A'
    step.facts.push({
      op: 'event',
      data: {
        type: 'game.disaster',
        occurred_at: timestamp(at),
        data: { disaster, nation_id: nation.id, severity },
        summary: `${adjective}${adjective === 'A' ? article : ''} ${disaster} struck ${nation.name}.`,
        nation_ids: [nation.id],
      },
    })
    nation.credits = Math.floor(nation.credits * (1 - 0.03 * severity))
    markDirty(step, nation, dirtyPart.economy)
    const good = nation.mainGood
    if (good && severity > 2) shockPrice(world.market, good, 0.04 * severity)
    step.occurrences.push({ kind: 'disaster', at, nation, disaster, severity })
  }
}
