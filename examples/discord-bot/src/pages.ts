import {
  ActionRowBuilder,
  ButtonBuilder,
  type ButtonInteraction,
  ButtonStyle,
  type ChatInputCommandInteraction,
  type EmbedBuilder,
  type InteractionEditReplyOptions,
} from 'discord.js'

/** A command, or a button of its pages. */
export type PagedInteraction = ChatInputCommandInteraction | ButtonInteraction

export interface PageRequest {
  command: string
  page: number
  /** Of the option that the pages depend on; empty without. */
  value: string
}

/** The page to show: the first of a command, or what the id of a button names, such as `page|2|wars|id:n42`. */
export function pageRequest(interaction: PagedInteraction, option?: string): PageRequest {
  if (interaction.isButton()) {
    const id = /^page\|([1-9]\d{0,14})\|(\w+)\|(.*)$/.exec(interaction.customId)
    return { command: id?.[2] ?? '', page: Number(id?.[1]), value: id?.[3] ?? '' }
  }
  const value = option === undefined ? null : interaction.options.getString(option)
  return { command: interaction.commandName, page: 1, value: value?.trim() ?? '' }
}

/** The message with the buttons of its pages. */
export function paged(
  embed: EmbedBuilder,
  { command, page, value }: PageRequest,
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
