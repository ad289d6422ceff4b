import {
  ChannelType,
  type ChatInputCommandInteraction,
  channelMention,
  EmbedBuilder,
  InteractionContextType,
  inlineCode,
  PermissionFlagsBits,
  roleMention,
  SlashCommandBuilder,
  SlashCommandRoleOption,
} from 'discord.js'
import { chooseAlliance } from '../choose.ts'
import { type Bot, UserError } from '../command.ts'
import { gameTerms, list, type Terms } from '../format.ts'
import { syncRoles } from '../roles.ts'
import type { Rule } from '../store.ts'
import { counted, name } from '../text.ts'

const roleOption = new SlashCommandRoleOption().setName('role').setDescription('The role').setRequired(true)

export const data = new SlashCommandBuilder()
  .setName('setup')
  .setDescription('Sets up this bot in this server')
  // A rule assigns roles: only members who may assign roles may create one.
  .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild | PermissionFlagsBits.ManageRoles)
  .setContexts(InteractionContextType.Guild)
  .addSubcommand(sub =>
    sub
      .setName('role')
      .setDescription('Gives a role to verified users, to an alliance’s members, or to one rank in it')
      .addRoleOption(roleOption)
      .addStringOption(option =>
        option.setName('alliance').setDescription('Only to its members').setAutocomplete(true),
      )
      .addStringOption(option =>
        option.setName('rank').setDescription('Only to this rank in an alliance').setAutocomplete(true),
      ),
  )
  .addSubcommand(sub =>
    sub
      .setName('remove')
      .setDescription('Deletes the rules of a role, and removes it from members')
      .addRoleOption(roleOption),
  )
  .addSubcommand(sub =>
    sub
      .setName('channel')
      .setDescription('Sets the announcement channel; omit it to stop announcements')
      .addChannelOption(option =>
        option
          .setName('channel')
          .setDescription('The channel')
          .addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
      ),
  )
  .addSubcommand(sub =>
    sub.setName('show').setDescription('Shows the rules of roles, and the channel of announcements'),
  )

export const isPrivate = true

type GuildInteraction = ChatInputCommandInteraction<'cached'>

export async function execute(interaction: ChatInputCommandInteraction, bot: Bot) {
  if (!interaction.inCachedGuild())
    throw new UserError('The bot is not a member of this server: invite it first.')
  const subcommand = interaction.options.getSubcommand()
  if (subcommand === 'role') return addRule(interaction, bot)
  if (subcommand === 'remove') return deleteRules(interaction, bot)
  if (subcommand === 'channel') return setChannel(interaction, bot)
  return showSetup(interaction, bot)
}

/** The id of the role. Without these conditions a rule would be a way to roles above one's own. */
function allowedRole({ guild, member, options }: GuildInteraction): string {
  const role = options.getRole('role', true)
  if (role.id === guild.id || role.managed)
    throw new UserError('This role cannot be assigned: it belongs to all members, or to an app.')
  if (guild.ownerId !== member.id && role.comparePositionTo(member.roles.highest) >= 0)
    throw new UserError('You can set up only roles below your own.')
  return role.id
}

async function addRule(interaction: GuildInteraction, bot: Bot): Promise<string> {
  const { guildId, options } = interaction
  const { api, store } = bot
  const role = allowedRole(interaction)
  const alliance = options.getString('alliance')?.trim()
  const rank = options.getString('rank')?.trim()
  const chosen = alliance ? await chooseAlliance(alliance, api) : undefined
  const terms = await gameTerms(api)
  const known = terms.ranks.find(of => of.key === rank || of.label.toLowerCase() === rank?.toLowerCase())
  if (rank && !known) {
    const ranks = terms.ranks.map(({ key }) => inlineCode(key)).join(', ')
    return `There is no rank ${name(rank)}. The ranks are ${ranks}.`
  }
  const rule = { role, allianceId: chosen?.id ?? null, rank: known?.key ?? null }
  store.addRule(guildId, rule)
  const links = store.linksOfGuild(guildId)
  for (const link of links) await syncRoles(bot, link, link, store.rules(guildId))
  return `${ruleText(rule, terms)} from now on. Checked ${counted(links.length, 'account')}.`
}

async function deleteRules(interaction: GuildInteraction, bot: Bot): Promise<string> {
  const { guildId } = interaction
  const role = allowedRole(interaction)
  if (bot.store.deleteRules(guildId, role) === 0) return `No rule gives ${roleMention(role)}.`
  for (const link of bot.store.linksOfGuild(guildId))
    await syncRoles(bot, link, null, [{ role, allianceId: null, rank: null }])
  return `${roleMention(role)} is no longer given, and was removed from all members.`
}

function setChannel({ guildId, options }: GuildInteraction, { store }: Bot): string {
  const channel = options.getChannel('channel')
  store.setNewsChannel(guildId, channel?.id ?? null)
  if (!channel) return 'Wars and strategic launches are no longer announced.'
  return `Wars and strategic launches are announced in ${channelMention(channel.id)} from now on.`
}

async function showSetup({ guildId }: GuildInteraction, { api, store }: Bot) {
  const terms = await gameTerms(api)
  const rules = store.rules(guildId).map(rule => ruleText(rule, terms))
  const channel = store.newsChannel(guildId)
  const fields = [
    list('Roles', rules, 'No role is given.'),
    list('Announcements of wars and strategic launches', channel ? [channelMention(channel)] : [], 'none'),
    list('Verified', [counted(store.linksOfGuild(guildId).length, 'account')]),
  ]
  return { embeds: [new EmbedBuilder({ title: 'Setup', fields })] }
}

function ruleText({ role, allianceId, rank }: Rule, terms: Terms): string {
  const members = rank === null ? 'all who are verified' : `the rank ${terms.label('ranks', rank)}`
  const alliance = allianceId === null ? '' : ` in the alliance ${inlineCode(allianceId)}`
  return `${roleMention(role)} goes to ${members}${alliance}`
}
