import { placeName } from '../names/name-book.ts'
import { counted, named, type StoryWriter } from './story.ts'

export const treatySigned: StoryWriter<'treaty_signed'> = ({ treaty }, { random }) => {
  const [one, other] = treaty.alliances
  const place = placeName(random, one.family)
  const label = treaty.label.toLowerCase()
  return {
    title: random.pick([
      `${one.name} and ${other.name} sign a treaty`,
      `Treaty of ${place} binds ${one.tag} and ${other.tag}`,
      `${treaty.label}: ${one.name} and ${other.name} agree`,
      `Ink at ${place}: ${other.name} finds a friend`,
    ]),
    paragraphs: [
      `**${one.name}** and **${other.name}** have signed a treaty (${label}) at ${place}.`,
      random.pick([
        `The two speak for ${one.members.length + other.members.length} nations between them.`,
        `Talks had gone on since last month, mostly over dinner.`,
        `Their last treaty fell apart over fishing rights. This one does not mention fish.`,
      ]),
      treaty.expiresAt === null
        ? 'It runs until one of them ends it.'
        : 'It runs for a fixed time and ends by itself.',
    ],
    topic: 'diplomacy',
    alliances: [one, other],
  }
}

export const treatyEnded: StoryWriter<'treaty_ended'> = ({ treaty }, { random }) => {
  const [one, other] = treaty.alliances
  return {
    title: random.pick([
      `${one.name} and ${other.name} go separate ways`,
      `Treaty between ${one.tag} and ${other.tag} is history`,
      `No renewal for ${one.name} and ${other.name}`,
    ]),
    paragraphs: [
      `The treaty (${treaty.label.toLowerCase()}) between **${one.name}** and **${other.name}** has ended.`,
      random.pick([
        `Neither side gave a reason. Both recalled their envoys’ gardeners.`,
        `“Circumstances,” says one side. “You know what you did,” says the other.`,
        `On the border it was noticed mainly by the customs officers.`,
      ]),
    ],
    topic: 'diplomacy',
    alliances: [one, other],
  }
}

export const allianceFounded: StoryWriter<'alliance_founded'> = ({ alliance, founder }, { random }) => ({
  title: random.pick([
    `${alliance.name}: a new alliance enters the stage`,
    `${founder.leader} founds ${alliance.name}`,
    `New flag, new friends: ${alliance.name} [${alliance.tag}]`,
  ]),
  paragraphs: [
    `**${alliance.name}** was founded today by ${founder.name}${alliance.members.length > 1 ? ` and ${counted(alliance.members.length - 1, 'friend')}` : ' alone'}.`,
    random.pick([
      `Its charter has nine articles, of which three deal with the seating order.`,
      `Larger neighbours wish it well, in public.`,
      `It is ${alliance.recruiting ? 'looking for members' : 'not taking new members for now'}.`,
    ]),
  ],
  topic: 'diplomacy',
  nations: [founder],
  alliances: [alliance],
})

export const allianceRenamed: StoryWriter<'alliance_renamed'> = ({ alliance, oldName }, { random }) => ({
  title: random.pick([
    `${oldName} is now ${alliance.name}`,
    `A new name for an old house: ${alliance.name}`,
    `${oldName} takes down its sign`,
  ]),
  paragraphs: [
    `The alliance known as ${oldName} calls itself **${alliance.name}** [${alliance.tag}] from today.`,
    random.pick([
      'Treaties and debts remain in force, its lawyers point out.',
      'The old stationery will be used up first.',
      'A vote among members went narrowly in favour.',
    ]),
  ],
  topic: 'diplomacy',
  alliances: [alliance],
})

export const allianceDisbanded: StoryWriter<'alliance_disbanded'> = ({ alliance }, { random }) => ({
  title: random.pick([
    `${alliance.name} disbands`,
    `The end of ${alliance.name}`,
    `${alliance.name} closes its doors`,
  ]),
  paragraphs: [
    `The last members of **${alliance.name}** have gone. The alliance is dissolved.`,
    random.pick([
      'There was no quarrel, only fewer and fewer people at the meetings.',
      'The archive goes to a museum, the debts to court.',
      'Several others have already written to its former members.',
    ]),
  ],
  topic: 'diplomacy',
  alliances: [alliance],
})

export const nationFounded: StoryWriter<'nation_founded'> = ({ nation }, { random }) => ({
  title: random.pick([
    `A new nation: ${nation.name}`,
    `${nation.name} declares itself`,
    `Make room on the map for ${nation.name}`,
  ]),
  paragraphs: [
    `**${nation.name}** was founded today. At its head stands ${nation.leader}.`,
    random.pick([
      `As a newcomer it stands under protection for now: nobody may attack it.`,
      `It has one town worth the name, ${placeName(random, nation.family)}, and great plans for it.`,
      `Neighbours sent bread, salt and advice.`,
    ]),
  ],
  topic: 'world',
  nations: [nation],
  alliances: [],
})

export const nationRenamed: StoryWriter<'nation_renamed'> = ({ nation, oldName }, { random }) => ({
  title: random.pick([
    `${oldName} becomes ${nation.name}`,
    `Mapmakers sigh: ${oldName} is now ${nation.name}`,
    `Farewell ${oldName}, welcome ${nation.name}`,
  ]),
  paragraphs: [
    `By decree of ${nation.leader}, ${oldName} is called **${nation.name}** from today.`,
    random.pick([
      'New coins follow in spring.',
      'The people were asked; a third of them answered.',
      'The old name stays on the manhole covers, for reasons of cost.',
    ]),
  ],
  topic: 'world',
  nations: [nation],
})

export const leaderChanged: StoryWriter<'leader_changed'> = (
  { alliance, nation, predecessor },
  { random },
) => ({
  title: random.pick([
    `${nation.leader} now leads ${alliance.name}`,
    `Change at the top of ${alliance.name}`,
    `${alliance.name} turns to ${nation.name}`,
  ]),
  paragraphs: [
    `**${nation.leader}** of ${nation.name} has taken over **${alliance.name}**.`,
    `${predecessor.leader} of ${predecessor.name} had not been seen at meetings for some time.`,
  ],
  topic: 'diplomacy',
  nations: [nation, predecessor],
  alliances: [alliance],
})

const relief = [
  'Tents and flour',
  'Two ships with grain',
  'A field hospital',
  'Blankets, pumps and forty engineers',
]

export const disasterStruck: StoryWriter<'disaster'> = ({ nation, disaster, severity }, { random }) => {
  const place = placeName(random, nation.family)
  const size = ['Slight', 'Moderate', 'Heavy', 'Severe', 'Catastrophic'][severity - 1] ?? 'Heavy'
  return {
    title: random.pick([
      `${size} ${disaster} in ${nation.name}`,
      `${place} counts the damage after the ${disaster}`,
      `${nation.name} struck by ${disaster}`,
    ]),
    paragraphs: [
      `${/^[AEIOU]/.test(size) ? 'An' : 'A'} ${size.toLowerCase()} ${disaster} has struck **${named(nation)}**. The district of ${place} is hit worst.`,
      nation.alliance
        ? `${random.pick(relief)} are on the way from ${nation.alliance.name}, says a speaker.`
        : `${nation.name} belongs to no alliance and asks the world for help.`,
      `“Nobody will sleep outside,” promised ${nation.leader}. The land has ${nation.cities === 1 ? 'one city' : `${nation.cities} cities`}.`,
    ],
    topic: 'world',
    nations: [nation],
  }
}
