import type { AllianceRanking, NationRanking } from '@chancery/client'
import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { taggedName } from '../format.ts'
import { counted, number } from '../text.ts'

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
  const place = `**#${number(of.rank)}**`
  // Since yesterday.
  const up = of.previous_rank === null ? 0 : of.previous_rank - of.rank
  const moved = up === 0 ? '' : ` (${up > 0 ? 'up' : 'down'} ${number(Math.abs(up))})`
  if ('alliance' in of)
    return `${place} ${taggedName(of.alliance)}, ${number(of.total_score)}, ${counted(of.member_count, 'nation')}${moved}`
  const { nation_name: name, alliance } = of.nation
  return `${place} ${taggedName({ name, tag: alliance?.alliances.tag })}, ${number(of.national_score)}${moved}`
}
