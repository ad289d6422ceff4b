import type { Conflict } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply, sentence } from '../command.ts'
import { type Field, fact, list } from '../embed.ts'
import type { GameTerms } from '../game-terms.ts'
import { counted, day, name, number } from '../text.ts'
import { lossesText } from './format.ts'

const alliancesMax = 6

export const conflict: Command = {
  data: new SlashCommandBuilder()
    .setName('conflict')
    .setDescription('Shows the global conflicts, the latest first'),
  async execute({ page }, { api, terms }) {
    const { data, pagination } = await api.conflicts.list({ page, limit: 1 })
    const [of] = data
    if (!of) return sentence('There was no global conflict yet.')
    const ended = of.ended_at === null ? 'ended' : `ended ${day(of.ended_at)}`
    return reply(
      {
        title: name(of.name),
        lines: of.cause === null ? [] : [name(of.cause)],
        fields: [
          fact('Started', day(of.started_at)),
          fact('Status', of.status === 'active' ? 'active' : ended),
          fact('Wars', `${number(of.wars.active)} of ${number(of.wars.total)} are active`),
          fact('Battles', number(of.battles_count)),
          ...(await Promise.all(of.sides.map(side => sideField(side, terms)))),
        ],
        footer: `Conflict ${of.id}`,
      },
      { page, pages: pagination.pages },
    )
  },
}

async function sideField(side: Conflict['sides'][number], terms: GameTerms): Promise<Field> {
  const alliances = side.alliances.filter(({ left_at }) => left_at === null).map(of => name(of.name))
  const shown = alliances.slice(0, alliancesMax).join(', ')
  return list(name(side.name), [
    alliances.length > alliancesMax ? `${shown} and ${alliances.length - alliancesMax} more` : shown,
    `${counted(side.nation_count, 'nation')}, ${counted(side.battles_won, 'battle')} won`,
    `Lost: ${await lossesText(side.losses, terms)}`,
  ])
}
