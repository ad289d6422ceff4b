import type { AllianceRanking, NationRanking } from '@chancery/client'
import { EmbedBuilder, SlashCommandBuilder } from 'discord.js'
import { type Api, type Bot, type PagedInteraction, paged, pageRequest, UserError } from '../command.ts'
import { readable, taggedName } from '../format.ts'
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
  .addStringOption(option =>
    option.setName('by').setDescription('What to rank by, if the game has several scores').setMaxLength(40),
  )

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction, 'board')
  // A button has both options in one word.
  const [boardName, ofButton = ''] = request.value.split(':')
  const board = boards.find(board => board === boardName) ?? 'nations'
  const by = interaction.isButton() ? ofButton : (interaction.options.getString('by')?.trim() ?? '')
  const attribute = by === '' ? undefined : await rankedAttribute(api, board, by)
  const { data, pagination } = await api.rankings.list({ board, attribute, page: request.page, limit: 10 })
  if (data.length === 0) return 'There is no ranking yet.'
  const embed = new EmbedBuilder()
    .setTitle(
      attribute === undefined
        ? `The strongest ${board}`
        : `${readable(board)} by ${readable(attribute).toLowerCase()}`,
    )
    .setDescription(data.map(rankText).join('\n'))
    .setFooter({ text: counted(pagination.total, board.slice(0, -1)) })
  const value = attribute === undefined ? board : `${board}:${attribute}`
  return paged(embed, { ...request, value }, pagination.pages)
}

/** The key of an attribute that the game ranks, however the user wrote it. */
async function rankedAttribute(api: Api, board: (typeof boards)[number], by: string): Promise<string> {
  const { attributes } = await api.game.get()
  const ranked = (board === 'nations' ? attributes.nation : attributes.alliance).filter(
    ({ ranked }) => ranked,
  )
  const wanted = by.toLowerCase().replaceAll(/[\s_]+/g, ' ')
  const found = ranked.find(({ key }) => key.replaceAll('_', ' ') === wanted)
  if (found) return found.key
  const known = ranked.map(({ key }) => key.replaceAll('_', ' ')).join(', ')
  throw new UserError(
    known === ''
      ? `The game ranks ${board} by their score only.`
      : `The game ranks ${board} by their score, or by: ${known}.`,
  )
}

function rankText(of: NationRanking | AllianceRanking): string {
  const place = `**#${number(of.rank)}**`
  // Since yesterday.
  const up = of.previous_rank === null ? 0 : of.previous_rank - of.rank
  const moved = up === 0 ? '' : ` (${up > 0 ? 'up' : 'down'} ${number(Math.abs(up))})`
  if ('alliance' in of)
    return `${place} ${taggedName(of.alliance)}, ${number(of.value)}, ${counted(of.member_count, 'nation')}${moved}`
  const { nation_name: name, alliance } = of.nation
  return `${place} ${taggedName({ name, tag: alliance?.alliances.tag })}, ${number(of.value)}${moved}`
}
