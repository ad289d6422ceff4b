import type { AllianceRanking, NationRanking } from '@chancery/client'
import type { Command } from '../command.ts'
import { bold, counted, name, number, plain, type Text, text } from '../text.ts'
import { allianceText, orNothing } from './parts.ts'

const placesOnPage = 10
const boards = ['nations', 'alliances'] as const

export const rankings: Command = {
  name: 'rankings',
  description: 'Shows the strongest nations or alliances',
  options: [{ name: 'board', description: 'Nations or alliances', kind: 'choice', choices: boards }],
  async run({ values, page }, { api }) {
    const board = boards.find(of => of === values.board) ?? 'nations'
    const places = await api.rankings.list({ board, page, limit: placesOnPage })
    return {
      embeds: [
        {
          title: plain(`The strongest ${board}`),
          lines: orNothing(places.data.map(placeText), 'Nobody is ranked yet.'),
          footer: plain(counted(places.pagination.total, board === 'nations' ? 'nation' : 'alliance')),
        },
      ],
      pages: { page, pages: places.pagination.pages, again: { board } },
    }
  },
}

function placeText(of: NationRanking | AllianceRanking): Text {
  const place = text`${bold(`#${number(of.rank)}`)} `
  const moved = movedText(of.rank, of.previous_rank)
  if ('nation' in of) {
    const { nation_name, alliance } = of.nation
    const tag = alliance === null ? [] : text` [${name(alliance.alliances.tag)}]`
    return text`${place}${name(nation_name)}${tag}, ${of.national_score}${moved}`
  }
  return text`${place}${allianceText(of.alliance)}, ${of.total_score}, ${counted(of.member_count, 'nation')}${moved}`
}

/** Since yesterday. */
function movedText(rank: number, before: number | null): string {
  if (before === null || before === rank) return ''
  return before > rank ? ` (up ${number(before - rank)})` : ` (down ${number(rank - before)})`
}
