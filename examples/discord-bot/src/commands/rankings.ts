import type { AllianceRanking, NationRanking } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply } from '../command.ts'
import { counted, name, number } from '../text.ts'
import { allianceText, orNone } from './format.ts'

const boards = ['nations', 'alliances'] as const

export const rankings: Command = {
  data: new SlashCommandBuilder()
    .setName('rankings')
    .setDescription('Shows the strongest nations or alliances')
    .addStringOption(option =>
      option
        .setName('board')
        .setDescription('Nations or alliances')
        .addChoices(boards.map(board => ({ name: board, value: board }))),
    ),
  async execute({ options, page }, { api }) {
    const board = boards.find(board => board === options.board) ?? 'nations'
    const { data, pagination } = await api.rankings.list({ board, page, limit: 10 })
    return reply(
      {
        title: `The strongest ${board}`,
        lines: orNone(data.map(rankText), 'There is no ranking yet.'),
        footer: counted(pagination.total, board.slice(0, -1)),
      },
      { page, pages: pagination.pages, value: board },
    )
  },
}

function rankText(of: NationRanking | AllianceRanking): string {
  const rank = `**#${number(of.rank)}** `
  const moved = movedText(of.rank, of.previous_rank)
  if ('alliance' in of)
    return `${rank}${allianceText(of.alliance)}, ${number(of.total_score)}, ${counted(of.member_count, 'nation')}${moved}`
  const { nation_name, alliance } = of.nation
  const tag = alliance === null ? '' : ` [${name(alliance.alliances.tag)}]`
  return `${rank}${name(nation_name)}${tag}, ${number(of.national_score)}${moved}`
}

/** Since yesterday. */
function movedText(rank: number, before: number | null): string {
  if (before === null || before === rank) return ''
  return before > rank ? ` (up ${number(before - rank)})` : ` (down ${number(rank - before)})`
}
