import { setTimeout as sleep } from 'node:timers/promises'
import { ChanceryError } from '@chancery/client'
import {
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  type Interaction,
  inlineCode,
  MessageFlags,
} from 'discord.js'
import { autocomplete } from './choose.ts'
import { type Bot, type Command, pageRequest, UserError } from './command.ts'
import * as files from './commands/index.ts'

export const commands = new Map<string, Command>(Object.entries(files))

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
const flags = MessageFlags.Ephemeral

async function handleInteraction(interaction: Interaction, bot: Bot): Promise<unknown> {
  if (interaction.isAutocomplete()) return autocomplete(interaction, bot)
  const isButton = interaction.isButton()
  if (!isButton && !interaction.isChatInputCommand()) return
  const { command: name } = pageRequest(interaction)
  const command = commands.get(name)
  if (!command) return interaction.reply({ content: 'This command no longer exists.', flags })
  if (isButton && interaction.message.interactionMetadata?.user.id !== interaction.user.id)
    return interaction.reply({ content: `Only its user can turn these pages. Get your own: /${name}`, flags })
  // The game may take longer than the three seconds that Discord allows.
  if (isButton) await interaction.deferUpdate()
  else await interaction.deferReply(command.isPrivate ? { flags } : {})
  try {
    const reply = command.execute(interaction, bot)
    await interaction.editReply(await Promise.race([reply, sleep(slowMs, slow, { ref: false })]))
  } catch (err) {
    const message = messageOf(err)
    if (message === undefined) bot.onError(err)
    const content = message ?? 'Something went wrong in this bot. Please try something else.'
    if (isButton) await interaction.followUp({ content, flags })
    else await interaction.editReply(content)
  }
}

const unavailable = 'The game’s API is unavailable at the moment. Please try again in a few minutes.'
const messages: Record<string, string> = {
  not_found: 'There is nothing by that id. Lists show the ids.',
  verification_code_unknown:
    'This code does not work here. Check its ten characters; if you made it for a chat account, use it from that account.',
  verification_code_expired: 'This code is older than ten minutes. Please make a new one in the game.',
  verification_code_used: 'This code was used before. Please make a new one in the game.',
  network_error: unavailable,
  timeout: unavailable,
  unexpected_response: unavailable,
  unavailable,
}

/** What the user reads; undefined for an error of the bot itself. */
function messageOf(err: unknown): string | undefined {
  if (err instanceof UserError) return err.message
  if (!(err instanceof ChanceryError)) return undefined
  if (err.code === 'rate_limited')
    return `This bot has used up its requests to the game. Please try again in ${err.retryAfter ?? 60} seconds.`
  const report = err.requestId === undefined ? '' : ` If it persists, report ${inlineCode(err.requestId)}.`
  return messages[err.code] ?? `The game’s API failed. Please try again later.${report}`
}
