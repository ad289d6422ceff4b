/** What a file of `commands/` exports, what it is given, and the pages of its reply. */
import type { Chancery, Operations } from '@chancery/client'
import {
  ActionRowBuilder,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  type Client,
  type EmbedBuilder,
  type InteractionEditReplyOptions,
  type SharedSlashCommand,
} from 'discord.js'
import type { Store } from './store.ts'

export type Api = Pick<Chancery, keyof Operations>

export interface Bot {
  discord: Client<true>
  api: Api
  store: Store
  /** Receives errors of the bot itself. */
  onError(err: unknown): void
}

/** A command, or a button of its pages. */
export type PagedInteraction = ChatInputCommandInteraction | ButtonInteraction

export interface Command {
  data: SharedSlashCommand
  /** Only the user sees the reply. */
  isPrivate?: boolean
  execute(interaction: PagedInteraction, bot: Bot): Promise<InteractionEditReplyOptions | string>
}

/** Its message is for the user. */
export class UserError extends Error {}

/** The page to show: the first of a command, or what the id of a button names, such as `page|2|wars|id:n42`. The value is that of the option that the pages depend on. */
export function pageRequest(interaction: PagedInteraction, option = '') {
  if (interaction.isButton()) {
    const [, page, command = '', value = ''] =
      /^page\|([1-9]\d{0,14})\|(\w+)\|(.*)$/.exec(interaction.customId) ?? []
    return { command, page: Number(page), value }
  }
  const value = interaction.options.getString(option)?.trim() ?? ''
  return { command: interaction.commandName, page: 1, value }
}

/** The message with the buttons of its pages. */
export function paged(
  embed: EmbedBuilder,
  { command, page, value }: ReturnType<typeof pageRequest>,
  pages: number,
): InteractionEditReplyOptions {
  if (pages <= 1) return { embeds: [embed], components: [] }
  const button = (label: string, to: number) =>
    new ButtonBuilder()
      .setCustomId(`page|${to}|${command}|${value}`)
      .setLabel(label)
      .setStyle(ButtonStyle.Secondary)
      .setDisabled(to === page || to < 1 || to > pages)
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(
    button('Back', page - 1),
    button(`${page} of ${pages}`, page),
    button('Next', page + 1),
  )
  return { embeds: [embed], components: [row] }
}
