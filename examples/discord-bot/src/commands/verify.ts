import { type ChatInputCommandInteraction, EmbedBuilder, roleMention, SlashCommandBuilder } from 'discord.js'
import type { Bot } from '../command.ts'
import { fact, gameTerms, membershipText } from '../format.ts'
import { membershipOf, syncRoles } from '../roles.ts'
import { name, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('verify')
  .setDescription('Links your nation to this account, and gives you its roles')
  .addStringOption(option =>
    option
      .setName('code')
      .setDescription('The code from the game’s developer settings; it works once, for ten minutes')
      .setRequired(true),
  )

export const isPrivate = true

export async function execute({ options, user, guildId }: ChatInputCommandInteraction, bot: Bot) {
  const { api, store } = bot
  const code = options.getString('code', true).trim()
  if (code === '') return 'Enter the code that the game’s developer settings show.'
  // Always with the caller's account: a code made for another account is then rejected.
  const { nation, alliance } = await api.discord.verify(code, { for: user.id })
  const nationName = name(nation.nation_name)
  const lines = [`This account belongs to the player of ${nationName}.`]
  if (guildId !== null) {
    const link = {
      guild: guildId,
      account: user.id,
      nationId: nation.id,
      nationName: nation.nation_name,
      ...membershipOf(alliance),
    }
    const rules = store.rules(guildId)
    for (const former of store.link(link))
      if (former.account !== user.id) await syncRoles(bot, former, null, rules)
    const { given, removed, refused } = await syncRoles(bot, link, link, rules)
    const mentions = (roles: string[]) => roles.map(roleMention).join(', ')
    if (given.length > 0) lines.push(`Roles given: ${mentions(given)}`)
    if (removed.length > 0) lines.push(`Roles removed: ${mentions(removed)}`)
    if (refused.length > 0)
      lines.push(`The bot cannot assign ${mentions(refused)}: the role must be below the bot’s role.`)
  }
  const fields = [
    ...fact('Leader', nation.leader_name && name(nation.leader_name)),
    ...fact('Score', number(nation.national_score)),
    ...fact('Alliance', membershipText(alliance, await gameTerms(api))),
  ]
  return {
    embeds: [new EmbedBuilder({ title: `Verified: ${nationName}`, description: lines.join('\n'), fields })],
  }
}
