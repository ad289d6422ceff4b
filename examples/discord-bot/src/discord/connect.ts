import { Client, type ClientOptions, Events, GatewayIntentBits } from 'discord.js'
import type { AnswerOptions } from '../answer.ts'
import type { Api } from '../api.ts'
import type { Command } from '../command.ts'
import type { Reply } from '../reply.ts'
import type { Roles } from '../roles/settle.ts'
import type { Store } from '../store.ts'
import type { Words } from '../words.ts'
import { definitions } from './definitions.ts'
import { interact } from './interactions.ts'
import { payload } from './payload.ts'
import { discordRoles } from './roles.ts'

export interface DiscordParts {
  token: string
  commands: readonly Command[]
  api: Api
  words: Words
  store: Store
  answering?: AnswerOptions
  onError(err: unknown): void
  /** Where Discord is. */
  rest?: ClientOptions['rest']
}

export interface Connection {
  roles: Roles
  /** Posts in a channel. Rejects where that is not possible. */
  post(channel: string, reply: Reply): Promise<void>
  close(): Promise<void>
}

/** Connects to Discord and answers there, once the commands are registered. */
export async function connectDiscord(parts: DiscordParts): Promise<Connection> {
  const { token, commands, api, words, store, answering, onError, rest } = parts
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [] },
    ...(rest && { rest }),
  })
  const roles = discordRoles(client)
  const bot = { api, words, store, roles }
  client.on(Events.Error, onError)
  client.on(Events.InteractionCreate, interaction => {
    interact(interaction, { commands, bot, options: { ...answering, onError } }).catch(onError)
  })
  client.on(Events.GuildDelete, guild => store.forgetGuild(guild.id))

  const ready = new Promise<Client<true>>(resolve => client.once(Events.ClientReady, resolve))
  await client.login(token)
  const { application } = await ready
  await application.commands.set(definitions(commands))

  return {
    roles,
    async post(channelId, reply) {
      const channel = await client.channels.fetch(channelId)
      if (!channel?.isSendable()) throw new Error(`channel ${channelId} takes no messages`)
      await channel.send(payload(reply))
    },
    close: () => client.destroy(),
  }
}
