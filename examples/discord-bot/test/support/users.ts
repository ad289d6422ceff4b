import {
  applicationId,
  channelId,
  type FakeDiscord,
  guildId,
  guildRoles,
  member,
  message,
  ownerId,
  user,
} from './discord.ts'

export interface From {
  account?: string
  /** Roles of the account. */
  roles?: string[]
  guild?: string
}

export const caller = '700000000000000001'
const optionTypes: Record<string, number> = { role: 8, channel: 7 }
const resolved = {
  roles: Object.fromEntries(guildRoles.map(of => [of.id, of])),
  channels: { [channelId]: { id: channelId, name: 'war-room', type: 0, permissions: '8' } },
}

/** Sends the interactions of users to a bot, and returns what they see. */
export function createUsers(discord: Pick<FakeDiscord, 'dispatch' | 'request'>) {
  let interactions = 0

  /** Sends an interaction; returns Discord's acknowledgement and what the user sees then. */
  async function interact(
    type: number,
    data: object,
    { account = caller, roles = [], guild = guildId }: From,
  ) {
    interactions += 1
    const token = `token${interactions}`
    const isButton = type === 3
    const interaction_metadata = { id: '1', type: 2, user: user(caller), authorizing_integration_owners: {} }
    discord.dispatch('INTERACTION_CREATE', {
      id: String(800000000000000000n + BigInt(interactions)),
      application_id: applicationId,
      type,
      token,
      version: 1,
      guild_id: guild,
      channel: { id: channelId, type: 0 },
      member: { ...member(account, roles), user: user(account) },
      locale: 'en-GB',
      app_permissions: '0',
      entitlements: [],
      authorizing_integration_owners: {},
      context: 0,
      attachment_size_limit: 1,
      data,
      ...(isButton && { message: message({ interaction_metadata }) }),
    })
    const { body: callback } = await discord.request('POST', new RegExp(`/${token}/callback$`))
    const isFinal = callback.type === 4 || callback.type === 8
    const { body: shown } = isFinal
      ? { body: callback.data }
      : await discord.request(
          isButton ? 'PATCH POST' : 'PATCH',
          new RegExp(`^/webhooks/${applicationId}/${token}`),
        )
    return { callback, shown, text: textOf(shown) }
  }
  const slash = (name: string, options: object[]) => ({
    id: '900000000000000001',
    type: 1,
    name,
    options,
    resolved,
  })

  const execute = (command: string, options: Record<string, string> = {}, from: From = {}) => {
    const [name = '', subcommand] = command.split(' ')
    const given = Object.entries(options).map(([name, value]) => ({
      name,
      type: optionTypes[name] ?? 3,
      value,
    }))
    const all = subcommand ? [{ name: subcommand, type: 1, options: given }] : given
    return interact(2, slash(name, all), subcommand ? { account: ownerId, ...from } : from)
  }
  return {
    /** Such as `setup role`, which is executed by the owner of the guild. */
    execute,
    /** The text that the user reads. */
    run: async (...args: Parameters<typeof execute>): Promise<string> => (await execute(...args)).text,
    press: (customId: string, from: From = {}) =>
      interact(3, { component_type: 2, custom_id: customId }, from),
    /** What autocomplete responds for the command's option of its own name. */
    complete: async (name: string, typed: string) =>
      (await interact(4, slash(name, [{ name, type: 3, value: typed, focused: true }]), {})).shown.choices,
  }
}

interface Shown {
  content?: string
  embeds?: {
    title?: string
    description?: string
    fields?: { name: string; value: string }[]
    footer?: { text: string }
  }[]
}

/** What Discord shows of a message. */
export const textOf = ({ content, embeds = [] }: Shown): string =>
  [
    content,
    ...embeds.flatMap(({ title, description, fields = [], footer }) => [
      title,
      description,
      ...fields.map(({ name, value }) => `${name}: ${value}`),
      footer?.text,
    ]),
  ]
    .filter(Boolean)
    .join('\n')
    .replace(/(?<![\\\w])_|_(?!\w)|(?<!\\)[*`]/g, '')
    .replace(/\\(.)/g, '$1')
    .replaceAll(/[\u200b\u2068\u2069]/g, '')
