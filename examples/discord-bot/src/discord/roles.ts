import { type Client, DiscordAPIError, RESTJSONErrorCodes } from 'discord.js'
import { RoleRefused, type Roles } from '../roles/settle.ts'

const notThere = new Set<unknown>([RESTJSONErrorCodes.UnknownMember, RESTJSONErrorCodes.UnknownUser])
const refusals = new Set<unknown>([
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.UnknownRole,
  RESTJSONErrorCodes.InvalidRole,
  RESTJSONErrorCodes.UnknownMember,
])

/** The roles of Discord's guilds. */
export function discordRoles(client: Client): Roles {
  return {
    async held(guildId, account) {
      const guild = client.guilds.cache.get(guildId)
      if (!guild) return undefined
      try {
        const member = await guild.members.fetch({ user: account, force: true })
        return [...member.roles.cache.keys()]
      } catch (err) {
        if (err instanceof DiscordAPIError && notThere.has(err.code)) return undefined
        throw err
      }
    },
    give: (guildId, user, role) =>
      refusing(() => client.guilds.cache.get(guildId)?.members.addRole({ user, role, reason: 'Verified' })),
    take: (guildId, user, role) =>
      refusing(() =>
        client.guilds.cache.get(guildId)?.members.removeRole({ user, role, reason: 'No longer due' }),
      ),
  }
}

async function refusing(act: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await act()
  } catch (err) {
    if (err instanceof DiscordAPIError && refusals.has(err.code)) throw new RoleRefused(err.message)
    throw err
  }
}
