import { placeName } from './names/name-book.ts'
import type { Random } from './random.ts'
import type { Conflict, Nation, WorldState } from './state.ts'

interface Quarrel {
  attacker: Nation
  defender: Nation
  type: string | null
  conflict: Conflict | null
}

/** The reason that the attacker gives for a war. */
export function reasonFor(world: WorldState, random: Random, quarrel: Quarrel): string {
  const { attacker, defender, type, conflict } = quarrel
  const place = placeName(random, defender.family)
  const good = (defender.mainGood?.label ?? 'grain').toLowerCase()
  const [own, theirs] = [attacker.alliance?.name ?? attacker.name, defender.alliance?.name ?? defender.name]
  if (conflict) {
    return random.pick([
      `For ${own}.`,
      `${theirs} chose this war. We choose where it is fought.`,
      `${conflict.name} reaches ${defender.name} today.`,
      `Orders are orders. ${own} stands together.`,
      `Second front, as agreed. Good luck, ${defender.leader}.`,
      `${defender.name} has fed the war against ${own} long enough.`,
      `Nothing against you, ${defender.name}. Everything against ${theirs}.`,
      `We keep our word to ${own}; see what yours was worth.`,
    ])
  }
  const grudges = [
    `${defender.leader} called our ${random.pick(['parliament', 'army', 'flag', 'coinage', 'fleet'])} a joke in front of the whole assembly.`,
    `The road to ${place} was ours before your maps were drawn.`,
    `Our envoy came home from ${place} without an answer and without his ${random.pick(['hat', 'luggage', 'horse', 'papers'])}.`,
    `${defender.name} has broken the ${good} agreement three times. There will be no fourth.`,
    `Eleven warnings at the border post of ${place}. This is the twelfth.`,
    `For the fishermen of ${place}.`,
    `You moved the border stones at ${place}. We are moving them back.`,
  ]
  const byType: readonly [RegExp, string[]][] = [
    [
      /raid|plunder/,
      [
        `You have ${good}. We have ships and no patience.`,
        `The storehouses of ${place} are full and the guards are asleep.`,
        `Nothing personal: ${good} is dear this ${random.pick(['week', 'month', 'season'])}.`,
        `Late payment for ${good}. We come to collect.`,
        `${defender.name} has been quiet for a long time. Too quiet to need all that ${good}.`,
      ],
    ],
    [
      /conquest|annex|expan/,
      [
        `${place} belongs to ${attacker.name}.`,
        `There is room for one power on this coast, and it is not ${defender.name}.`,
        `The mines of ${place} will be better run from our side of the river.`,
        `History gave us ${place}; we only fetch it.`,
        `${attacker.leader} promised the people a harbour. Yours is the nearest.`,
      ],
    ],
    [
      /attrition|siege|blockade/,
      [
        `We can afford this longer than ${defender.name} can.`,
        `${attacker.name} has ${attacker.cities} cities and all winter.`,
        `The ${good} fleet of ${place} does not sail again.`,
        `Every convoy to ${place} from today on will be counted, and stopped.`,
        `Until ${defender.leader} takes back every word.`,
        `${defender.name} has grown too strong for its neighbours’ sleep.`,
      ],
    ],
    [
      /libera|free|revol/,
      [
        `The people of ${place} asked for help. We heard them.`,
        `${place} voted; ${defender.leader} burned the ballots.`,
        `Free the prisoners of ${place}, or we will.`,
        `We were once under ${defender.name} too. Never again, for anyone.`,
      ],
    ],
  ]
  const typed = byType.find(([pattern]) => type !== null && pattern.test(type))?.[1] ?? []
  if (defender.offensiveWars > 0 && random.chance(0.25)) {
    const victim = world.wars.find(war => war.attacker === defender)?.defender
    if (victim) return `${defender.name} fell upon ${victim.name}. Whoever attacks the small will meet us.`
  }
  return random.pick(typed.length > 0 && random.chance(0.65) ? typed : grudges)
}
