import { setTimeout as sleep } from 'node:timers/promises'
import {
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
} from 'discord.js'
import { autocomplete } from './choose.ts'
import type { Bot, Command } from './command.ts'
import * as files from './commands/index.ts'
import { messageOf } from './errors.ts'
import { pageRequest } from './pages.ts'

export const commands: ReadonlyMap<string, Command> = new Map<string, Command>(Object.entries(files))

export interface BotOptions extends Omit<Bot, 'discord'> {
  token: string
  /** For tests. */
  rest?: ClientOptions['rest']
}

/** Logs in, registers the commands and handles interactions. */
export async function startBot({ token, rest, ...options }: BotOptions): Promise<Bot> {
  const { store, onError } = options
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [] },
    ...(rest && { rest }),
  })
  client.on(Events.Error, onError)
  client.on(Events.GuildDelete, guild => store.deleteGuild(guild.id))
  const ready = new Promise<Client<true>>(resolve => client.once(Events.ClientReady, resolve))
  await client.login(token)
  const bot = { ...options, discord: await ready }
  client.on(Events.InteractionCreate, interaction => {
    handleInteraction(interaction, bot).catch(onError)
  })
  await bot.discord.application.commands.set([...commands.values()].map(({ data }) => data.toJSON()))
  return bot
}

const slowMs = 10_000
const slow = 'The game’s API is slow at the moment. Please try again in a minute.'

async function handleInteraction(interaction: Interaction, bot: Bot): Promise<void> {
  if (interaction.isAutocomplete()) return autocomplete(interaction, bot)
  const isButton = interaction.isButton()
  if (!isButton && !interaction.isChatInputCommand()) return
  const name = pageRequest(interaction).command
  const command = commands.get(name)
  const owner = isButton ? interaction.message.interactionMetadata?.user : undefined
  const isOwner = owner === undefined || owner.id === interaction.user.id
  if (!command || !isOwner) {
    const content = command
      ? `Only its user can turn these pages. Get your own: /${name}`
      : 'This command no longer exists.'
    await interaction.reply({ content, flags: MessageFlags.Ephemeral })
    return
  }
  // The game may take longer than the three seconds that Discord allows.
  if (isButton) await interaction.deferUpdate()
  else await interaction.deferReply(command.isPrivate ? { flags: MessageFlags.Ephemeral } : {})
  try {
    const reply = command.execute(interaction, bot)
    await interaction.editReply(await Promise.race([reply, sleep(slowMs, slow, { ref: false })]))
  } catch (err) {
    const content = messageOf(err)
    if (content === undefined) bot.onError(err)
    const message = { content: content ?? 'Something went wrong in this bot. Please try something else.' }
    if (isButton) await interaction.followUp({ ...message, flags: MessageFlags.Ephemeral })
    else await interaction.editReply(message)
  }
}
