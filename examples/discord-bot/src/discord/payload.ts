import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import type { Command } from '../command.ts'
import { bare, markdown } from '../markdown.ts'
import type { Embed, Pages, Reply } from '../reply.ts'
import { pageId } from './page-id.ts'

/** A message for Discord, which mentions nobody whatever it says. */
export interface Payload {
  embeds: APIEmbed[]
  components: APIActionRowComponent<APIButtonComponentWithCustomId>[]
  allowedMentions: { parse: [] }
}

/** A reply that fits, as a message. The command is that of its buttons. */
export const payload = ({ embeds, pages }: Reply, command?: Command): Payload => ({
  embeds: embeds.map(apiEmbed),
  components: command && pages && pages.pages > 1 ? [buttons(pages, command)] : [],
  allowedMentions: { parse: [] },
})

function apiEmbed({ title, url, color, picture, lines, fields, footer }: Embed): APIEmbed {
  return {
    ...(title && { title: markdown(title) }),
    ...(url && isAddress(url) && { url }),
    ...(color && { color: Number.parseInt(color.slice(1), 16) }),
    ...(picture && isAddress(picture) && { thumbnail: { url: picture } }),
    ...(lines && lines.length > 0 && { description: lines.map(markdown).join('\n') }),
    ...(fields && {
      fields: fields.map(({ name, lines: value, isInline = false }) => ({
        name: markdown(name),
        value: value.map(markdown).join('\n'),
        inline: isInline,
      })),
    }),
    ...(footer && { footer: { text: bare(footer) } }),
  }
}

/** Discord refuses a whole message for one address that it cannot read. */
const isAddress = (url: string) => /^https?:\/\/\S+$/.test(url) && URL.canParse(url)

function buttons(
  { page, pages, again }: Pages,
  command: Command,
): APIActionRowComponent<APIButtonComponentWithCustomId> {
  const button = (label: string, to: number): APIButtonComponentWithCustomId => ({
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label,
    custom_id: pageId({ command, values: again, page: to }),
    disabled: to < 1 || to > pages,
  })
  return {
    type: ComponentType.ActionRow,
    components: [
      button('Back', page - 1),
      { ...button(`${page} of ${pages}`, page), disabled: true },
      button('Next', page + 1),
    ],
  }
}
