import { placeName } from '../names/name-book.ts'
import { counted, type Desk, grouped, named, ordinal, type Teller, within } from './desk.ts'

const quotedReason = (reason: string) => `> ${reason}`

export const warDeclared: Teller<'war_declared'> = ({ war }, { world, random }) => {
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

export const warEnded: Teller<'war_ended'> = ({ war, outcome, at }, desk) => {
  const { attacker, defender, battles } = war
  const { random } = desk
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
    toll(war, desk),
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

function toll({ attacker, defender, lost }: Parameters<typeof warEnded>[0]['war'], { random }: Desk): string {
  const [heavier, lighter] = lost.attacker > lost.defender ? [attacker, defender] : [defender, attacker]
  const share = Math.max(lost.attacker, lost.defender) / Math.max(1, Math.min(lost.attacker, lost.defender))
  if (lost.attacker + lost.defender === 0) return 'Hardly a shot was fired.'
  if (share > 1.6) return `By our count ${heavier.name} lost far more than ${lighter.name}.`
  return random.pick([
    `The losses were nearly the same on both sides.`,
    `${heavier.name} paid a little more than ${lighter.name}; neither paid little.`,
  ])
}
