import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { list } from '../format.ts'
import { ago, name } from '../text.ts'

/** Without single battles, prices and membership. */
const types = [
  'war.*',
  'strategic_weapon.*',
  'conflict.*',
  'era.*',
  'treaty.*',
  'alliance.founded',
  'alliance.renamed',
  'alliance.disbanded',
  'nation.*',
  'game.*',
]

export const data = new SlashCommandBuilder()
  .setName('history')
  .setDescription('Shows the latest events and news')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const [events, news] = await Promise.all([
    api.events.list({ type: types, page: request.page, limit: 10 }),
    api.news.list({ page: request.page, limit: 4 }),
  ])
  const eventLines = events.data.map(of => `${ago(of.occurred_at)}: ${name(of.summary, 300)}`)
  const newsLines = news.data.map(
    ({ title, author, published_at }) =>
      `${name(title, 150)}${author === null ? '' : ` (${name(author, 50)})`}, ${ago(published_at)}`,
  )
  const embed = new EmbedBuilder()
    .setTitle('History')
    .setDescription(eventLines.join('\n') || 'No more events.')
    .addFields(list('News', newsLines, 'No more.'))
  return paged(embed, request, Math.max(events.pagination.pages, news.pagination.pages))
}
