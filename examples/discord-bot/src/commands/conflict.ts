import type { Conflict } from '@chancery/client'
import type { Command } from '../command.ts'
import { type Embed, type Field, fact, sentence } from '../reply.ts'
import { code, counted, day, joined, name, number, plain, text } from '../text.ts'
import type { Words } from '../words.ts'
import { lossesText } from './parts.ts'

const alliancesShown = 6

export const conflict: Command = {
  name: 'conflict',
  description: 'Shows the global conflicts, the latest first',
  options: [],
  async run({ page }, { api, words }) {
    const { data, pagination } = await api.conflicts.list({ page, limit: 1 })
    const [of] = data
    if (!of) return sentence(plain('There was no global conflict yet.'))
    return { embeds: [await conflictEmbed(of, words)], pages: { page, pages: pagination.pages, again: {} } }
  },
}

async function conflictEmbed(of: Conflict, words: Words): Promise<Embed> {
  const sides = await Promise.all(of.sides.map(side => sideField(side, words)))
  return {
    title: [name(of.name)],
    lines: of.cause === null ? [] : [[name(of.cause)]],
    fields: [
      fact('Started', [day(of.started_at)]),
      fact(
        'Outcome',
        of.status === 'active'
          ? plain('goes on')
          : text`ended${of.ended_at ? text` ${day(of.ended_at)}` : ''}`,
      ),
      fact('Wars', plain(`${number(of.wars.active)} of ${number(of.wars.total)} go on`)),
      fact('Battles', plain(number(of.battles_count))),
      ...sides,
    ],
    footer: text`Conflict ${code(of.id)}`,
  }
}

async function sideField(side: Conflict['sides'][number], words: Words): Promise<Field> {
  const fighting = side.alliances.filter(({ left_at }) => left_at === null)
  const shown = fighting.slice(0, alliancesShown).map(of => [name(of.name)])
  const rest = fighting.length - shown.length
  return {
    name: [name(side.name)],
    lines: [
      ...(shown.length === 0 ? [] : [text`${joined(shown, ', ')}${rest > 0 ? ` and ${rest} more` : ''}`]),
      plain(`${counted(side.nation_count, 'nation')}, ${counted(side.battles_won, 'battle')} won`),
      text`Lost: ${await lossesText(side.losses, words)}`,
    ],
  }
}
