import {
  ActionRowBuilder,
  type AutocompleteInteraction,
  type BaseMessageOptions,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  type ClientOptions,
  type CommandInteractionOption,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js'
import { autocomplete } from './choose.ts'
import { type Bot, type Command, type Pages, type Reply, sentence } from './command.ts'
import { type RespondOptions, respond } from './respond.ts'
import { RoleRefusedError, type Roles } from './roles.ts'
import { plainLabel } from './text.ts'

type Commands = ReadonlyMap<string, Command>

export interface DiscordOptions extends Omit<Bot, 'roles'> {
  token: string
  commands: Commands
  onError(err: unknown): void
  respondOptions?: RespondOptions
  /** For tests. */
  rest?: ClientOptions['rest']
}

export interface Connection {
  roles: Roles
  /** Rejects if the channel takes no messages. */
  post(channel: string, reply: Reply): Promise<void>
  close(): Promise<void>
}

/** Logs in, registers the commands and handles interactions. */
export async function connectDiscord(options: DiscordOptions): Promise<Connection> {
  const { token, commands, api, terms, store, onError, respondOptions, rest } = options
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [] },
    ...(rest && { rest }),
  })
  const roles = createRoles(client)
  const bot = { api, terms, store, roles }
  client.on(Events.Error, onError)
  client.on(Events.InteractionCreate, interaction => {
    handleInteraction(interaction, commands, bot, { ...respondOptions, onError }).catch(onError)
  })
  client.on(Events.GuildDelete, guild => store.deleteGuild(guild.id))
  const ready = new Promise<Client<true>>(resolve => client.once(Events.ClientReady, resolve))
  await client.login(token)
  const { application } = await ready
  await application.commands.set([...commands.values()].map(({ data }) => data.toJSON()))
  return {
    roles,
    async post(channelId, reply) {
      const channel = await client.channels.fetch(channelId)
      if (!channel?.isSendable()) throw new Error(`channel ${channelId} takes no messages`)
      await channel.send(messageOf(reply))
    },
    close: () => client.destroy(),
  }
}

async function handleInteraction(
  interaction: Interaction,
  commands: Commands,
  bot: Bot,
  options: RespondOptions,
): Promise<void> {
  if (interaction.isAutocomplete()) return suggest(interaction, bot)
  const isCommand = interaction.isChatInputCommand()
  if (!isCommand && !interaction.isButton()) return
  const call = isCommand ? commandCall(interaction, commands) : readPageId(interaction.customId, commands)
  const refusal = call ? refusalOf(interaction, call.command) : 'This command no longer exists.'
  if (!call || (refusal && !isCommand)) {
    await interaction.reply({ ...messageOf(sentence(refusal ?? '')), flags: MessageFlags.Ephemeral })
    return
  }
  // The game may take longer than the three seconds that Discord allows.
  if (interaction.isButton()) await interaction.deferUpdate()
  else await interaction.deferReply(call.command.isPrivate ? { flags: MessageFlags.Ephemeral } : {})
  const input = { ...call.input, userId: interaction.user.id, guildId: interaction.guildId }
  const reply = refusal ? sentence(refusal) : await respond(call.command, input, bot, options)
  await interaction.editReply(messageOf(reply, call.command))
}

function commandCall(interaction: ChatInputCommandInteraction, commands: Commands) {
  const command = commands.get(interaction.commandName)
  if (!command) return undefined
  const subcommand = interaction.options.getSubcommand(false)
  const [first] = interaction.options.data
  const given: readonly CommandInteractionOption[] =
    subcommand === null ? interaction.options.data : (first?.options ?? [])
  const options = Object.fromEntries(
    given.map(({ name, value }) => [name, `${value}`.trim()]).filter(([, value]) => value !== ''),
  )
  return { command, input: { ...(subcommand !== null && { subcommand }), options, page: 1 } }
}

/** Why the user may not do this. */
function refusalOf(interaction: ChatInputCommandInteraction | ButtonInteraction, { data }: Command) {
  if (interaction.isButton()) {
    const owner = interaction.message.interactionMetadata?.user.id
    const isOwner = owner === undefined || owner === interaction.user.id
    return isOwner ? undefined : `Only its user can turn these pages. Get your own: /${data.name}`
  }
  const named = interaction.options.getRole('role')
  if (!named) return undefined
  // Without the rest a rule would be a way to roles above one's own.
  if (!interaction.inCachedGuild()) return 'I am no member of this server: invite me first.'
  const { guild, member } = interaction
  const role = guild.roles.cache.get(named.id)
  if (!role || role.id === guild.id || role.managed)
    return 'This role cannot be given: it belongs to all members, or to an app.'
  if (guild.ownerId !== member.id && role.comparePositionTo(member.roles.highest) >= 0)
    return 'You can set up only roles below your own.'
  return undefined
}

/** Discord allows three seconds; without choices the user can still send what was typed. */
async function suggest(interaction: AutocompleteInteraction, bot: Bot): Promise<void> {
  const { name, value } = interaction.options.getFocused(true)
  const choices = await autocomplete(name, value, bot, AbortSignal.timeout(2_000)).catch(() => [])
  await interaction.respond(choices.map(({ name, value }) => ({ name: plainLabel(name, 100), value })))
}

/** A reply as a message, with the buttons of its pages. Mentions are disabled. */
export const messageOf = ({ embeds, pages }: Reply, command?: Command) =>
  ({
    embeds,
    components: command && pages && pages.pages > 1 ? [pageButtons(pages, command)] : [],
    allowedMentions: { parse: [] },
  }) satisfies BaseMessageOptions

function pageButtons({ page, pages, value }: Pages, command: Command): ActionRowBuilder<ButtonBuilder> {
  const button = (label: string, to: number) =>
    new ButtonBuilder()
      .setCustomId(pageId(command, to, value))
      .setLabel(label)
      .setStyle(ButtonStyle.Secondary)
      .setDisabled(to === page || to < 1 || to > pages)
  return new ActionRowBuilder<ButtonBuilder>().addComponents(
    button('Back', page - 1),
    button(`${page} of ${pages}`, page),
    button('Next', page + 1),
  )
}

/** `page|2|wars|id:n42`: at most 100 characters, which is Discord's limit. */
export const pageId = ({ data }: Command, page: number, value = ''): string =>
  ['page', page, data.name, value].join('|')

/** Undefined for other buttons. */
export function readPageId(id: string, commands: Commands) {
  const [, digits, name = '', value] = /^page\|([1-9]\d{0,14})\|(\w+)\|(.*)$/.exec(id) ?? []
  const command = commands.get(name)
  if (!command || digits === undefined) return undefined
  const [option] = command.data.options.map(of => of.toJSON().name)
  return { command, input: { options: option && value ? { [option]: value } : {}, page: Number(digits) } }
}

const unknownMember = new Set<unknown>([RESTJSONErrorCodes.UnknownMember, RESTJSONErrorCodes.UnknownUser])
const refusals = new Set<unknown>([
  RESTJSONErrorCodes.MissingPermissions,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.UnknownRole,
  RESTJSONErrorCodes.InvalidRole,
  RESTJSONErrorCodes.UnknownMember,
])

function createRoles(client: Client): Roles {
  const members = (guildId: string) => client.guilds.cache.get(guildId)?.members
  const refuse = (err: unknown) => {
    throw err instanceof DiscordAPIError && refusals.has(err.code) ? new RoleRefusedError(err.message) : err
  }
  return {
    held: async (guildId, user) =>
      members(guildId)
        ?.fetch({ user, force: true })
        .then(
          member => [...member.roles.cache.keys()],
          err => {
            if (err instanceof DiscordAPIError && unknownMember.has(err.code)) return undefined
            throw err
          },
        ),
    async give(guildId, user, role) {
      await members(guildId)?.addRole({ user, role, reason: 'Verified' }).catch(refuse)
    },
    async remove(guildId, user, role) {
      await members(guildId)?.removeRole({ user, role, reason: 'No longer due' }).catch(refuse)
    },
  }
}
