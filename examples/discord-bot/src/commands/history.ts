import type { Command } from '../command.ts'
import { list } from '../reply.ts'
import { ago, name, plain, type Text, text } from '../text.ts'
import { orNothing } from './parts.ts'

const eventsOnPage = 10
const newsOnPage = 4

/** What is worth telling: without single battles, prices, and moves of members. */
const toldKinds = [
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
  name: 'history',
  description: 'Shows what happened lately, and what the papers say',
  options: [],
  async run({ page }, { api }) {
    const [events, news] = await Promise.all([
      api.events.list({ type: toldKinds, page, limit: eventsOnPage }),
      api.news.list({ page, limit: newsOnPage }),
    ])
    const happened = events.data.map(
      ({ occurred_at, summary }): Text => text`${ago(occurred_at)}: ${name(summary)}`,
    )
    const headlines = news.data.map(
      ({ title, author, published_at }): Text =>
        text`${name(title)}${author === null ? '' : text` (${name(author)})`}, ${ago(published_at)}`,
    )
    return {
      embeds: [
        {
          title: plain('History'),
          fields: [
            list('What happened', orNothing(happened, 'Nothing more.')),
            list('What the papers say', orNothing(headlines, 'Nothing more.')),
          ],
        },
      ],
      pages: {
        page,
        pages: Math.max(events.pagination.pages, news.pagination.pages),
        again: {},
      },
    }
  },
}
