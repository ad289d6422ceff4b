import {
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
  SlashCommandBuilder,
  SlashCommandRoleOption,
} from 'discord.js'
import { chooseAlliance } from '../choose.ts'
import { type Bot, type Command, type Reply, reply, sentence, textOption } from '../command.ts'
import { list } from '../embed.ts'
import { syncRoles } from '../roles.ts'
import type { Rule } from '../store.ts'
import { code, counted, name } from '../text.ts'
import { orNone } from './format.ts'

const channelText = (id: string) => `<#${id}>`
const roleText = (id: string) => `<@&${id}>`

const roleOption = new SlashCommandRoleOption().setName('role').setDescription('The role').setRequired(true)

export const setup: Command = {
  data: new SlashCommandBuilder()
    .setName('setup')
    .setDescription('Sets up this bot in this server')
    // A rule hands out roles: only members who may do so by hand may make one.
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild | PermissionFlagsBits.ManageRoles)
    .setContexts(InteractionContextType.Guild)
    .addSubcommand(sub =>
      sub
        .setName('role')
        .setDescription('Gives a role to the verified, to an alliance’s members, or to one rank in it')
        .addRoleOption(roleOption)
        .addStringOption(textOption('alliance', 'Only to its members', { autocomplete: true }))
        .addStringOption(textOption('rank', 'Only to this rank in an alliance', { autocomplete: true })),
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
        .setDescription('Announces wars and strategic launches in a channel; without one, nowhere')
        .addChannelOption(option =>
          option
            .setName('channel')
            .setDescription('The channel')
            .addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
        ),
    )
    .addSubcommand(sub =>
      sub.setName('show').setDescription('Shows the rules of roles, and the channel of announcements'),
    ),
  isPrivate: true,
  async execute({ subcommand, options, guildId }, bot) {
    if (guildId === null) return sentence('Use this command in a server, not in a direct message.')
    if (subcommand === 'role') return addRule(guildId, options, bot)
    if (subcommand === 'remove') return deleteRules(guildId, options.role ?? '', bot)
    if (subcommand === 'show') return showSetup(guildId, bot)
    const { channel } = options
    bot.store.setNewsChannel(guildId, channel ?? null)
    if (channel === undefined) return sentence('Wars and strategic launches are no longer announced.')
    return sentence(`Wars and strategic launches are announced in ${channelText(channel)} from now on.`)
  },
}

async function addRule(guildId: string, options: Record<string, string>, bot: Bot): Promise<Reply> {
  const { api, terms, store, roles } = bot
  const { role = '', alliance, rank } = options
  const chosen = alliance === undefined ? undefined : await chooseAlliance(alliance, api)
  if (alliance !== undefined && !chosen)
    return sentence(`There is no alliance by the name ${name(alliance)}.`)
  const ranks = await terms.ranks()
  const known = ranks.find(({ key, label }) => key === rank || label.toLowerCase() === rank?.toLowerCase())
  if (rank !== undefined && !known)
    return sentence(
      `There is no rank ${name(rank)}. The ranks are ${ranks.map(({ key }) => code(key)).join(', ')}.`,
    )
  const rule = { role, allianceId: chosen?.id ?? null, rank: known?.key ?? null }
  store.addRule(guildId, rule)
  const links = store.linksOfGuild(guildId)
  for (const link of links) await syncRoles(roles, link, link, store.rules(guildId))
  return sentence(`${await ruleText(rule, bot)} from now on. Checked ${counted(links.length, 'account')}.`)
}

async function deleteRules(guildId: string, role: string, { store, roles }: Bot): Promise<Reply> {
  if (store.deleteRules(guildId, role) === 0) return sentence(`No rule gives ${roleText(role)}.`)
  // A rule that matches no member, so that the role is removed from all.
  const rules = [{ role, allianceId: '', rank: null }]
  for (const link of store.linksOfGuild(guildId)) await syncRoles(roles, link, link, rules)
  return sentence(`${roleText(role)} is no longer given, and was removed from all members.`)
}

async function showSetup(guildId: string, bot: Bot): Promise<Reply> {
  const rules = await Promise.all(bot.store.rules(guildId).map(rule => ruleText(rule, bot)))
  const channel = bot.store.newsChannel(guildId)
  return reply({
    title: 'Setup',
    fields: [
      list('Roles', orNone(rules, 'No role is given.')),
      list('Announcements of wars and strategic launches', [
        channel === undefined ? 'none' : channelText(channel),
      ]),
      list('Verified', [counted(bot.store.linksOfGuild(guildId).length, 'account')]),
    ],
  })
}

async function ruleText({ role, allianceId, rank }: Rule, { terms }: Bot): Promise<string> {
  const members = rank === null ? 'all who are verified' : `the rank ${await terms.label('ranks', rank)}`
  return `${roleText(role)} goes to ${members}${allianceId === null ? '' : ` in the alliance ${code(allianceId)}`}`
}
