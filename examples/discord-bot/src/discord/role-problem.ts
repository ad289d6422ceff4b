import type { ChatInputCommandInteraction } from 'discord.js'

/**
 * Why the caller may not make a rule about the role they named; undefined where they may, or named none. Without this a rule would
 * be a way to a role that stands above one's own.
 */
export function roleProblem(interaction: ChatInputCommandInteraction): string | undefined {
  const named = interaction.options.getRole('role')
  if (!named) return undefined
  if (!interaction.inCachedGuild()) return 'I am no member of this server: let me in first.'
  const { guild, member } = interaction
  const role = guild.roles.cache.get(named.id)
  if (!role || role.id === guild.id || role.managed)
    return 'This role cannot be handed out: it belongs to everybody, or to an app.'
  const isOwner = guild.ownerId === member.id
  if (!isOwner && role.comparePositionTo(member.roles.highest) >= 0)
    return 'You can set up only roles that stand below your own.'
  return undefined
}
