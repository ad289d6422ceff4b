import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply, sentence, textOption } from '../command.ts'
import { fact } from '../embed.ts'
import { type RoleResult, syncRoles } from '../roles.ts'
import { name, number } from '../text.ts'
import { membershipText } from './format.ts'

export const verify: Command = {
  data: new SlashCommandBuilder()
    .setName('verify')
    .setDescription('Links your nation to this account, and gives you its roles')
    .addStringOption(
      textOption('code', 'The code from the game’s developer settings; it works once, for ten minutes', {
        required: true,
      }),
    ),
  isPrivate: true,
  async execute({ options, userId, guildId }, { api, terms, store, roles }) {
    const code = (options.code ?? '').trim()
    if (code === '') return sentence('Enter the code that the game’s developer settings show.')
    // Always with the caller's account: a code made for another account is then rejected.
    const { nation, alliance } = await api.discord.verify(code, { for: userId })
    const nationName = name(nation.nation_name)
    const lines = [`This account belongs to the player of ${nationName}.`]
    if (guildId !== null) {
      const membership = { allianceId: alliance?.alliance_id ?? null, rank: alliance?.rank ?? null }
      const account = { guild: guildId, account: userId }
      const nationLink = { nationId: nation.id, nationName: nation.nation_name }
      const former = store.link({ ...account, ...nationLink, ...membership })
      const rules = store.rules(guildId)
      for (const link of former) if (link.account !== userId) await syncRoles(roles, link, null, rules)
      lines.push(...roleLines(await syncRoles(roles, account, membership, rules)))
    }
    return reply({
      title: `Verified: ${nationName}`,
      lines,
      fields: [
        nation.leader_name === '' ? undefined : fact('Leader', name(nation.leader_name)),
        fact('Score', number(nation.national_score)),
        fact('Alliance', await membershipText(alliance, terms)),
      ],
    })
  },
}

function roleLines({ given, removed, refused }: RoleResult): string[] {
  const mentions = (roles: string[]) => roles.map(role => `<@&${role}>`).join(', ')
  return [
    ...(given.length > 0 ? [`Roles given: ${mentions(given)}`] : []),
    ...(removed.length > 0 ? [`Roles removed: ${mentions(removed)}`] : []),
    ...(refused.length > 0
      ? [`I may not hand out ${mentions(refused)}: it must be below my own role in the list of roles.`]
      : []),
  ]
}
