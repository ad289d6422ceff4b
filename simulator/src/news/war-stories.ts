import { placeName } from '../names/name-book.ts'
import {
  counted,
  grouped,
  lossesInWords,
  named,
  ordinal,
  type StoryContext,
  type StoryWriter,
  within,
} from './story.ts'

const quotedReason = (reason: string) => `> ${reason}`

export const warDeclared: StoryWriter<'war_declared'> = ({ war }, { world, random }) => {
  const { attacker, defender, attackerAlliance: own, defenderAlliance: theirs, conflict } = war
  const place = placeName(random, defender.family)
  const aim = world.vocabulary.profile.war_types.find(({ key }) => key === war.type)?.label.toLowerCase()
  const isUneven = attacker.score > defender.score * 1.25
  const title = random.pick([
    `${attacker.name} declares war on ${defender.name}`,
    `War at dawn: ${attacker.name} crosses into ${defender.name}`,
    `${defender.name} wakes to a declaration of war`,
    `${attacker.leader} makes good on the threat: war with ${defender.name}`,
    `Troops of ${attacker.name} on the road to ${place}`,
    `“Not one step back”, says ${defender.leader} as ${attacker.name} attacks`,
    `Border at ${place} closed; ${attacker.name} and ${defender.name} at war`,
  ])
  const paragraphs = [
    random.pick([
      `**${named(attacker)}** has declared ${aim ? `a war of ${aim}` : 'war'} on **${named(defender)}**. The declaration reads in full:`,
      `The envoy of **${named(attacker)}** needed less than a minute in the hall at ${place}. He left a single sheet for the government of **${named(defender)}**:`,
      `It is war between **${named(attacker)}** and **${named(defender)}**. ${attacker.leader} gave this reason:`,
    ]),
    quotedReason(war.reason),
    random.pick([
      isUneven
        ? `On paper the match is uneven: ${attacker.name} stands at ${grouped(attacker.score)} points, ${defender.name} at ${grouped(defender.score)}.`
        : `The two are well matched: ${grouped(attacker.score)} points against ${grouped(defender.score)}.`,
      `${defender.leader} answered before noon. “We did not ask for this,” the statement says, “but we know how it is done.”`,
      `Merchants at ${place} spent the morning loading whatever would float.`,
      `In ${place} the shops closed early. Queues formed at the railway station and in front of the one bakery that had flour.`,
    ]),
  ]
  if (conflict)
    paragraphs.push(
      `The war counts as part of **${within(conflict.name)}**, the ${ordinal(conflict.warsTotal)} so far.`,
    )
  else if (theirs && theirs !== own) {
    paragraphs.push(
      random.pick([
        `Whether ${theirs.name} will stand by its member is the question in every chancellery tonight.`,
        `${theirs.name} called a meeting of its ministers. Nothing was said afterwards, which is also an answer.`,
        `A speaker of ${theirs.name} said only: “We have read it.”`,
      ]),
    )
  } else if (!theirs) paragraphs.push(`${defender.name} belongs to no alliance and can expect little help.`)
  return { title, paragraphs, topic: 'war', nations: [attacker, defender], alliances: [own, theirs] }
}

export const warEnded: StoryWriter<'war_ended'> = ({ war, outcome, at }, context) => {
  const { attacker, defender, battles } = war
  const { random } = context
  const days = Math.max(1, Math.round((at - war.declaredAt) / 86_400))
  const isDecided = outcome === 'attacker_victory' || outcome === 'defender_victory'
  const [victor, loser] = outcome === 'defender_victory' ? [defender, attacker] : [attacker, defender]
  const title = random.pick(
    isDecided
      ? [
          `${victor.name} prevails over ${loser.name}`,
          `${loser.name} lays down its arms`,
          `Victory for ${victor.leader} after ${counted(days, 'day')} of war`,
          `${loser.name} sues for terms; ${victor.name} celebrates`,
          outcome === 'defender_victory'
            ? `${defender.name} throws the invader back`
            : `${attacker.name} gets what it came for`,
        ]
      : outcome === 'peace'
        ? [
            `Peace between ${attacker.name} and ${defender.name}`,
            `${attacker.name} and ${defender.name} sign after ${counted(days, 'day')}`,
            `A handshake ends the war of ${attacker.name} and ${defender.name}`,
            `The guns fall silent in ${defender.name}`,
          ]
        : [
            `No victor in the war of ${attacker.name} and ${defender.name}`,
            `${attacker.name} and ${defender.name} fight each other to a standstill`,
            `Worn out: ${attacker.name} calls off its war on ${defender.name}`,
          ],
  )
  const paragraphs = [
    isDecided
      ? random.pick([
          `After ${counted(battles, 'battle')} in ${counted(days, 'day')}, **${named(victor)}** has won the war against **${named(loser)}**.`,
          `**${named(loser)}** gave up this morning. ${victor.leader} accepted the surrender by letter and did not travel.`,
          `The war that ${attacker.name} declared ${counted(days, 'day')} ago is over, and **${named(victor)}** has won it.`,
        ])
      : random.pick([
          `**${named(attacker)}** and **${named(defender)}** have ended their war after ${counted(days, 'day')} and ${counted(battles, 'battle')}.`,
          `Neither **${named(attacker)}** nor **${named(defender)}** got what it wanted. Both got to stop.`,
          `Envoys met at ${placeName(random, defender.family)}, talked for six hours and signed one page.`,
        ]),
    toll(war, context),
    random.pick([
      `It had begun with these words: “${war.reason}”`,
      `Trade across the border resumes tomorrow, say both chambers of commerce.`,
      `“We will count our dead first,” said ${loser.leader}. “Politics later.”`,
      `In ${placeName(random, loser.family)} people were seen taking down the sandbags and carrying them home. Sand is dear.`,
      `${victor.leader} is expected to speak tomorrow.`,
    ]),
  ]
  return {
    title,
    paragraphs,
    topic: isDecided ? 'war' : 'diplomacy',
    nations: [attacker, defender],
    alliances: [war.attackerAlliance, war.defenderAlliance],
  }
}

function toll(
  { attacker, defender, lost }: Parameters<typeof warEnded>[0]['war'],
  { random }: StoryContext,
): string {
  const [heavier, lighter] = lost.attacker > lost.defender ? [attacker, defender] : [defender, attacker]
  const share = Math.max(lost.attacker, lost.defender) / Math.max(1, Math.min(lost.attacker, lost.defender))
  if (lost.attacker + lost.defender === 0) return 'Hardly a shot was fired.'
  if (share > 1.6) return `By our count ${heavier.name} lost far more than ${lighter.name}.`
  return random.pick([
    `The losses were nearly the same on both sides.`,
    `${heavier.name} paid a little more than ${lighter.name}; neither paid little.`,
  ])
}

export const battleFought: StoryWriter<'battle'> = (battle, { world, random }) => {
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
  return { title, paragraphs, topic: 'war', nations: [attacker, defender] }
}

export const weaponLaunched: StoryWriter<'launch'> = (launch, { random }) => {
  const { attacker, defender, weapon, isIntercepted } = launch
  const weaponName = weapon.label.toLowerCase()
  const place = placeName(random, defender.family)
  const title = random.pick(
    isIntercepted
      ? [
          `${defender.name} intercepts a ${weaponName}`,
          `Shot down over ${place}: ${weaponName} of ${attacker.name} misses`,
          `${capital(weaponName)} aimed at ${defender.name} destroyed in flight`,
        ]
      : [
          `${attacker.name} fires a ${weaponName} at ${defender.name}`,
          `${capital(weaponName)} strikes ${place}`,
          `${place} after the ${weaponName}: “There was no siren”`,
        ],
  )
  const paragraphs = [
    `**${named(attacker)}** launched a ${weaponName} at **${named(defender)}**. ${isIntercepted ? 'It was intercepted in flight; debris fell into open country.' : `It came down near ${place}.`}`,
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
  return { title, paragraphs, topic: 'war', nations: [attacker, defender] }
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
