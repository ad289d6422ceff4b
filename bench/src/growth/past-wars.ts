/** Facts of a batch: about what a game sends at once. */
const batchLength = 2_500
const daySeconds = 86_400
const firstDay = Date.UTC(2025, 0, 1) / 1_000

/**
 * Wars that ended before a world's history begins, as facts: each is one fact and two events. A simulated world has few wars for its
 * nations; a game that has run for years has more wars than nations.
 */
export function* pastWars(nations: number, wars: number): Generator<string> {
  const random = sequence(nations)
  for (let first = 1; first <= wars; first += batchLength) {
    let text = ''
    const last = Math.min(wars, first + batchLength - 1)
    for (let number = first; number <= last; number += 1)
      text += `${JSON.stringify(pastWar(number, nations, random))}\n`
    yield `${text}${JSON.stringify({ op: 'commit', batch: `past-${nations}-${first}`, announce: false })}\n`
  }
}

const outcomes = ['attacker_victory', 'defender_victory', 'stalemate']
const types = ['conquest', 'raid', 'attrition']

function pastWar(number: number, nations: number, random: () => number) {
  const attacker = 1 + Math.floor(random() * nations)
  const defender = 1 + ((attacker + Math.floor(random() * (nations - 1))) % nations)
  const declared = firstDay + Math.floor(random() * 365 * daySeconds)
  return {
    op: 'put',
    resource: 'war',
    data: {
      id: `past${number}`,
      type: types[number % types.length],
      status: 'ended',
      reason: `An old quarrel over border stone ${number}.`,
      attacker: { nation_id: `n${attacker}` },
      defender: { nation_id: `n${defender}` },
      declared_at: momentText(declared),
      ended_at: momentText(declared + Math.floor((1 + random() * 20) * daySeconds)),
      outcome: outcomes[Math.floor(random() * outcomes.length)],
    },
  }
}

const momentText = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/** Numbers from 0 to 1, the same for the same seed. */
export function sequence(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
