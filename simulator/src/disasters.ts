import { written } from './calendar.ts'
import { shake } from './market.ts'
import { mark, part } from './report.ts'
import { moment, type Step } from './step.ts'

const kinds = ['earthquake', 'flood', 'drought', 'storm', 'epidemic'] as const
const severities = ['A slight', 'A', 'A heavy', 'A severe', 'A catastrophic']

/** The demo game’s own kind of event. Of other profiles’ kinds the simulator cannot know the meaning: it sends none. */
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
    const at = moment(step, random)
    const article = disaster === 'earthquake' || disaster === 'epidemic' ? 'n' : ''
    const adjective = severities[severity - 1] ?? 'A'
    step.facts.push({
      op: 'event',
      data: {
        type: 'game.disaster',
        occurred_at: written(at),
        data: { disaster, nation_id: nation.id, severity },
        summary: `${adjective}${adjective === 'A' ? article : ''} ${disaster} struck ${nation.name}.`,
        nation_ids: [nation.id],
      },
    })
    nation.credits = Math.floor(nation.credits * (1 - 0.03 * severity))
    mark(step, nation, part.economy)
    const good = nation.mainGood
    if (good && severity > 2) shake(world.market, good, 0.04 * severity)
    step.happenings.push({ kind: 'disaster', at, nation, disaster, severity })
  }
}
