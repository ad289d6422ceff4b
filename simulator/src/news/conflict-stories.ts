import type { Conflict } from '../state.ts'
import { counted, listing, type StoryContext, type StoryWriter, within } from './story.ts'

const sidesOf = ({ sides }: Conflict) =>
  sides
    .map(side => {
      const names = side.alliances
        .filter(({ leftAt }) => leftAt === null)
        .map(({ alliance }) => alliance.name)
      return `- **${side.name}**: ${listing(names)}`
    })
    .join('\n')
const alliancesOf = ({ sides }: Conflict) =>
  sides.flatMap(side => side.alliances.map(({ alliance }) => alliance))

export const conflictStarted: StoryWriter<'conflict_started'> = ({ conflict, cause }, { random }) => {
  const [one, other] = alliancesOf(conflict)
  return {
    title: random.pick([
      `${one?.name} and ${other?.name} at war: they call it “${conflict.name}”`,
      `${conflict.name} begins`,
      `From quarrel to war: ${one?.name} against ${other?.name}`,
    ]),
    paragraphs: [
      `What had been a string of border wars is now a war of alliances. ${cause}`,
      sidesOf(conflict),
      random.pick([
        `Treaties oblige others to follow. The telegraph offices stay open tonight.`,
        `Grain merchants raised their prices within the hour.`,
        `“It was never about the harbour,” says an old diplomat. “It was about who asks whom.”`,
      ]),
    ],
    topic: 'war',
    alliances: alliancesOf(conflict),
  }
}

export const conflictJoined: StoryWriter<'conflict_joined'> = ({ conflict, alliance, side }, { random }) => {
  const principal = conflict.sides.find(({ name }) => name === side)?.alliances[0]?.alliance.name ?? side
  return {
    title: random.pick([
      `${alliance.name} enters ${within(conflict.name)}`,
      `${alliance.name} sides with ${principal}`,
      `One more in ${within(conflict.name)}: ${alliance.name} mobilises`,
    ]),
    paragraphs: [
      random.pick([
        `**${alliance.name}** keeps its word: its ${counted(alliance.members.length, 'nation')} fight in ${within(conflict.name)} at the side of ${principal}.`,
        `After two days of debate **${alliance.name}** has come down on the side of ${principal}.`,
      ]),
      'The sides now:',
      sidesOf(conflict),
    ],
    topic: 'diplomacy',
    alliances: [alliance],
  }
}

export const conflictLeft: StoryWriter<'conflict_left'> = ({ conflict, alliance }, { random }) => ({
  title: random.pick([
    `${alliance.name} leaves ${within(conflict.name)}`,
    `${alliance.name} has had enough`,
    `A separate peace for ${alliance.name}`,
  ]),
  paragraphs: [
    `**${alliance.name}** has made its peace and left ${within(conflict.name)}. All wars of its members in the conflict end today.`,
    random.pick([
      `Its former comrades learned of it from the newspaper.`,
      `“We came for a month,” said a minister. “We have buried enough.”`,
      `The terms are white: nobody pays, nobody apologises.`,
    ]),
    sidesOf(conflict),
  ],
  topic: 'diplomacy',
  alliances: [alliance],
})

export const conflictEnded: StoryWriter<'conflict_ended'> = ({ conflict, at }, { random }) => {
  const days = Math.max(1, Math.round((at - conflict.startedAt) / 86_400))
  return {
    title: random.pick([
      `${conflict.name} is over`,
      `Armistice ends ${within(conflict.name)} after ${counted(days, 'day')}`,
      `Bells, and silence: ${within(conflict.name)} ends`,
    ]),
    paragraphs: [
      `After ${counted(days, 'day')}, ${counted(conflict.warsTotal, 'war')} and ${counted(conflict.battles, 'battle')} the parties to **${within(conflict.name)}** have signed an armistice.`,
      sidesOf(conflict),
      random.pick([
        `Who won? Ask five people and hear six answers.`,
        `The rebuilding, says the exchange, will need timber, iron and patience.`,
        `The prisoners come home next week. So do the tax collectors.`,
      ]),
    ],
    topic: 'diplomacy',
    alliances: alliancesOf(conflict),
  }
}

export const eraTurned: StoryWriter<'era_turned'> = ({ old, next, champion }, { random }) => ({
  title: random.pick([
    `${old.name} ends; ${champion.name} is its champion`,
    `${champion.name} wins the era`,
    `A new era: ${next.name} begins`,
  ]),
  paragraphs: [
    `**${old.name}** has ended, and with it every war that was going on. First among the alliances stands **${champion.name}** with ${counted(champion.members.length, 'nation')}.`,
    `**${next.name}**, era number ${next.number}, began the same minute.`,
    random.pick([
      `“We will sleep for a day,” said their speaker, “and then we will start again.”`,
      `The archives are sealed tonight. The quarrels, it is assumed, are not.`,
    ]),
  ],
  topic: 'world',
  alliances: [champion],
})

/** A report on the active conflict. */
export function conflictReport(conflict: Conflict, at: number, { random }: StoryContext) {
  const days = Math.max(1, Math.round((at - conflict.startedAt) / 86_400))
  return {
    title: random.pick([
      `Day ${days} of ${within(conflict.name)}`,
      `${conflict.name}: where it stands`,
      `${conflict.name}, ${counted(conflict.battles, 'battle')} on`,
    ]),
    paragraphs: [
      `Since it began ${counted(days, 'day')} ago, **${within(conflict.name)}** has seen ${counted(conflict.warsTotal, 'war')} and ${counted(conflict.battles, 'battle')}.`,
      sidesOf(conflict),
      random.pick([
        `No talks are known to be under way.`,
        `Neutral harbours offer themselves for talks; so far nobody has come.`,
        `On both sides the casualty lists now have a second page.`,
      ]),
    ],
    topic: 'war' as const,
    alliances: alliancesOf(conflict),
  }
}
