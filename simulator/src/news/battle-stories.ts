import { placeName } from '../names/name-book.ts'
import { lossesInWords, named, ordinal, type Teller } from './desk.ts'

export const battleFought: Teller<'battle'> = (battle, { world, random }) => {
  const { attacker, defender, battleKind, victor, losses, war } = battle
  const place = placeName(random, defender.family)
  const [winner, loser] = victor === 'defender' ? [defender, attacker] : [attacker, defender]
  const scenes = {
    land: ['in the hills above', 'along the road to', 'in the suburbs of', 'at the bridges of'],
    air: ['in the sky over', 'above the airfield of', 'over the docks of'],
    sea: ['off', 'in the roads of', 'a morning’s sail from'],
  }
  const scene = `${random.pick(scenes[battleKind.domain])} ${place}`
  const title = random.pick(
    victor === 'draw'
      ? [
          `Bloody draw ${scene}`,
          `Neither side yields ${scene}`,
          `${attacker.name} and ${defender.name} clash ${scene}`,
        ]
      : [
          `${winner.name} wins ${scene}`,
          `Heavy losses for ${loser.name} ${scene}`,
          `${battleKind.label} ${scene}: ${winner.name} holds the field`,
          victor === 'defender'
            ? `${attacker.name} beaten back ${scene}`
            : `${defender.name} gives way ${scene}`,
          `“We heard it all night”: battle ${scene}`,
        ],
  )
  const paragraphs = [
    random.pick([
      `Forces of **${named(attacker)}** attacked **${named(defender)}** ${scene}. ${victor === 'draw' ? 'By evening both had drawn back.' : `${winner.name} won the day.`}`,
      `It was the ${ordinal(war.battles)} battle of this war, and one of the worst. **${named(attacker)}** attacked ${scene}; ${victor === 'draw' ? 'neither side can claim it.' : victor === 'attacker' ? `**${named(defender)}** could not hold.` : `**${named(defender)}** held.`}`,
    ]),
    `| | Lost |\n|---|---|\n| ${attacker.name} | ${lossesInWords(world, losses.attacker)} |\n| ${defender.name} | ${lossesInWords(world, losses.defender)} |`,
    random.pick([
      `A surgeon at ${place}, who asked not to be named: “I stopped counting, and I am good at counting.”`,
      `${loser.leader} has dismissed the officer in command.`,
      `Both general staffs confirm the numbers, which is rare.`,
      `The field hospital asks for blankets.`,
      `${winner.leader} sent a telegram of four words: “Well done. Now rest.”`,
    ]),
  ]
  return {
    title,
    paragraphs,
    topic: 'war',
    nations: [attacker, defender],
    alliances: [attacker.alliance, defender.alliance],
  }
}

export const weaponLaunched: Teller<'launch'> = (launch, { random }) => {
  const { attacker, defender, weapon, isIntercepted } = launch
  const thing = weapon.label.toLowerCase()
  const place = placeName(random, defender.family)
  const title = random.pick(
    isIntercepted
      ? [
          `${defender.name} intercepts a ${thing}`,
          `Shot down over ${place}: ${thing} of ${attacker.name} misses`,
          `${capital(thing)} aimed at ${defender.name} destroyed in flight`,
        ]
      : [
          `${attacker.name} fires a ${thing} at ${defender.name}`,
          `${capital(thing)} strikes ${place}`,
          `${place} after the ${thing}: “There was no siren”`,
        ],
  )
  const paragraphs = [
    `**${named(attacker)}** launched a ${thing} at **${named(defender)}**. ${isIntercepted ? 'It was intercepted in flight; debris fell into open country.' : `It came down near ${place}.`}`,
    random.pick(
      isIntercepted
        ? [
            `${defender.leader} thanked the crews of the batteries by name.`,
            `The crew that fired the interceptor had been on shift for nineteen hours.`,
            `“They will try again,” says an officer. “So will we.”`,
          ]
        : [
            `Rescue teams from three neighbouring lands are on their way.`,
            `${attacker.leader} calls it “the shortest way to peace”. Others have other words.`,
            `The power station is out. Two bridges are gone.`,
          ],
    ),
    random.pick([
      `How many more ${attacker.name} keeps is a secret of its general staff.`,
      `Several governments demand an emergency assembly.`,
      `The use of such weapons had been feared since the war began.`,
    ]),
  ]
  return {
    title,
    paragraphs,
    topic: 'war',
    nations: [attacker, defender],
    alliances: [attacker.alliance, defender.alliance],
  }
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
