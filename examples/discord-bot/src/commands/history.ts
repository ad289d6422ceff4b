import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply } from '../command.ts'
import { list } from '../embed.ts'
import { ago, name } from '../text.ts'
import { orNone } from './format.ts'

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

export const history: Command = {
  data: new SlashCommandBuilder().setName('history').setDescription('Shows the latest events and news'),
  async execute({ page }, { api }) {
    const [events, news] = await Promise.all([
      api.events.list({ type: types, page, limit: 10 }),
      api.news.list({ page, limit: 4 }),
    ])
    const eventLines = events.data.map(({ occurred_at, summary }) => `${ago(occurred_at)}: ${name(summary)}`)
    const newsLines = news.data.map(
      ({ title, author, published_at }) =>
        `${name(title)}${author === null ? '' : ` (${name(author)})`}, ${ago(published_at)}`,
    )
    return reply(
      {
        title: 'History',
        fields: [list('Events', orNone(eventLines, 'No more.')), list('News', orNone(newsLines, 'No more.'))],
      },
      { page, pages: Math.max(events.pagination.pages, news.pagination.pages) },
    )
  },
}
