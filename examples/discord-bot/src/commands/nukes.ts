import { EmbedBuilder, inlineCode, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { ago, name } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('nukes')
  .setDescription('Shows the launches of strategic weapons, the latest first')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const type = ['strategic_weapon.launched']
  const { data, pagination } = await api.events.list({ type, page: request.page, limit: 10 })
  if (data.length === 0) return 'There was no launch yet.'
  const lines = data.map(
    ({ occurred_at, summary, war_id }) =>
      `${ago(occurred_at)}${war_id === null ? '' : `, ${inlineCode(war_id)}`}: ${name(summary, 300)}`,
  )
  const embed = new EmbedBuilder({ title: 'Strategic launches', description: lines.join('\n') })
  return paged(embed, request, pagination.pages)
}
