import { chooseAlliance } from '../choose.ts'
import type { Command } from '../command.ts'
import { type Reply, sentence } from '../reply.ts'
import { settle } from '../roles/settle.ts'
import { code, counted, joined, name, plain, text } from '../text.ts'

export const setupRole: Command = {
  name: 'setup role',
  description: 'Gives a role to the verified, to an alliance’s members, or to one rank in it',
  isForManagers: true,
  isPrivate: true,
  options: [
    { name: 'role', description: 'The role to give', kind: 'role', isRequired: true },
    { name: 'alliance', description: 'Only to its members', kind: 'alliance' },
    { name: 'rank', description: 'Only to this rank in an alliance', kind: 'rank' },
  ],
  async run({ values, guild }, { api, words, store, roles }): Promise<Reply> {
    if (guild === null) return sentence(plain('Set up roles in a server, not in a private conversation.'))
    const { role = '', alliance, rank } = values
    const chosen = alliance === undefined ? undefined : await chooseAlliance(alliance, api)
    if (alliance !== undefined && !chosen)
      return sentence(text`There is no alliance by the name ${name(alliance)}.`)
    const ranks = await words.ranks()
    const known = ranks.find(({ key, label }) => key === rank || label.toLowerCase() === rank?.toLowerCase())
    if (rank !== undefined && !known)
      return sentence(
        text`There is no rank ${name(rank)}. The ranks are ${joined(
          ranks.map(of => [code(of.key)]),
          ', ',
        )}.`,
      )
    store.addRule(guild, { role, allianceId: chosen?.id ?? null, rank: known?.key ?? null })
    const links = store.linksOfGuild(guild)
    for (const link of links) await settle(roles, link, link, store.rules(guild))
    const whom = [
      known ? `the rank ${known.label}` : 'all who are verified',
      ...(chosen ? [`in the alliance ${chosen.id}`] : []),
    ].join(' ')
    return sentence(
      text`${[{ role }]} goes to ${whom} from now on. ${counted(links.length, 'account')} ${links.length === 1 ? 'was' : 'were'} looked at.`,
    )
  },
}
