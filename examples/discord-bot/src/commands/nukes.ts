import type { Command } from '../command.ts'
import { ago, code, name, plain, type Text, text } from '../text.ts'
import { orNothing } from './parts.ts'

const launchesOnPage = 10

export const nukes: Command = {
  name: 'nukes',
  description: 'Shows the launches of strategic weapons, the latest first',
  options: [],
  async run({ page }, { api }) {
    const launches = await api.events.list({
      type: ['strategic_weapon.launched'],
      page,
      limit: launchesOnPage,
    })
    const lines = launches.data.map(
      ({ occurred_at, summary, war_id }): Text =>
        text`${ago(occurred_at)}${war_id === null ? '' : text`, ${code(war_id)}`}: ${name(summary)}`,
    )
    return {
      embeds: [
        {
          title: plain('Strategic launches'),
          lines: orNothing(lines, 'Nobody has launched anything. May it stay so.'),
        },
      ],
      pages: { page, pages: launches.pagination.pages, again: {} },
    }
  },
}
