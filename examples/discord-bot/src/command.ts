import type { Operations } from '@chancery/client'
import {
  type EmbedBuilder,
  type SlashCommandOptionsOnlyBuilder,
  SlashCommandStringOption,
  type SlashCommandSubcommandsOnlyBuilder,
} from 'discord.js'
import { type EmbedParts, embed } from './embed.ts'
import type { GameTerms } from './game-terms.ts'
import type { Roles } from './roles.ts'
import type { Store } from './store.ts'

/** The operations that commands use: a test can pass less than a client. */
export type Api = Omit<Operations, 'me'>

/** A file of `commands/`. */
export interface Command {
  data: SlashCommandOptionsOnlyBuilder | SlashCommandSubcommandsOnlyBuilder
  /** Only the caller sees the reply. */
  isPrivate?: boolean
  execute(input: CommandInput, bot: Bot): Promise<Reply>
}

export interface CommandInput {
  subcommand?: string
  /** By name; ids of roles and channels. Nations and alliances are names, or `id:` and an id, which autocomplete fills in. */
  options: Record<string, string>
  /** From 1. */
  page: number
  userId: string
  /** Null in a direct message. */
  guildId: string | null
}

export interface Bot {
  api: Api
  terms: GameTerms
  store: Store
  roles: Roles
}

export interface Reply {
  embeds: EmbedBuilder[]
  pages?: Pages
}

export interface Pages {
  page: number
  pages: number
  /** The value of the command's first option, for the other pages. */
  value?: string | undefined
}

export const textOption = (
  name: string,
  description: string,
  { required = false, autocomplete = false } = {},
) =>
  new SlashCommandStringOption()
    .setName(name)
    .setDescription(description)
    .setRequired(required)
    .setAutocomplete(autocomplete)

export const reply = (parts: EmbedParts, pages?: Pages): Reply => ({
  embeds: [embed(parts)],
  ...(pages && { pages }),
})
export const sentence = (line: string): Reply => reply({ lines: [line] })
