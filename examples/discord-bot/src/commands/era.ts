import type { Era } from '@chancery/client'
import type { Command } from '../command.ts'
import type { Field } from '../reply.ts'
import { bold, day, italic, name, plain, type Text, text } from '../text.ts'
import { orNothing } from './parts.ts'

const erasOnPage = 5

export const era: Command = {
  name: 'era',
  description: 'Shows the eras of the game, the latest first',
  options: [],
  async run({ page }, { api }) {
    const eras = await api.eras.list({ page, limit: erasOnPage })
    return {
      embeds: [
        {
          title: plain('Eras'),
          lines: eras.data.length > 0 ? [] : orNothing([], 'No era has begun.'),
          fields: eras.data.map(eraField),
        },
      ],
      pages: { page, pages: eras.pagination.pages, again: {} },
    }
  },
}

const eraField = (of: Era): Field => ({
  name: of.number === null ? [name(of.name)] : text`${of.number}. ${name(of.name)}`,
  lines: [
    spanText(of),
    ...(of.champion === null ? [] : [text`Champion: ${bold(of.champion.name)}`]),
    ...(of.summary === null ? [] : [[italic(of.summary)]]),
  ],
})

function spanText({ status, started_at: start, ended_at: end }: Era): Text {
  const began = start === null ? [] : [day(start)]
  if (status === 'upcoming') return start === null ? plain('Still to come') : text`Begins ${began}`
  if (status === 'active') return start === null ? plain('Goes on') : text`Goes on since ${began}`
  if (end === null) return plain('Over')
  return start === null ? text`Until ${day(end)}` : text`${began} to ${day(end)}`
}
