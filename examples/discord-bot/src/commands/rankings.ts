import type { AllianceRanking, NationRanking } from '@chancery/client'
import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { allianceText } from '../format.ts'
import { counted, name, number } from '../text.ts'

const boards = ['nations', 'alliances'] as const

export const data = new SlashCommandBuilder()
  .setName('rankings')
  .setDescription('Shows the strongest nations or alliances')
  .addStringOption(option =>
    option
      .setName('board')
      .setDescription('Nations or alliances')
      .addChoices(boards.map(board => ({ name: board, value: board }))),
  )

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction, 'board')
  const board = boards.find(board => board === request.value) ?? 'nations'
  const { data, pagination } = await api.rankings.list({ board, page: request.page, limit: 10 })
  if (data.length === 0) return 'There is no ranking yet.'
  const embed = new EmbedBuilder()
    .setTitle(`The strongest ${board}`)
    .setDescription(data.map(rankText).join('\n'))
    .setFooter({ text: counted(pagination.total, board.slice(0, -1)) })
  return paged(embed, { ...request, value: board }, pagination.pages)
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
