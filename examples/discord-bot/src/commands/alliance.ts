import type { Alliance, AllianceMember } from '@chancery/client'
import { chooseAlliance, idValue } from '../choose.ts'
import type { Command } from '../command.ts'
import { type Field, fact, list, sentence } from '../reply.ts'
import { code, counted, day, name, number, plain, type Text, text } from '../text.ts'
import { readable, type Words } from '../words.ts'
import { allianceText } from './parts.ts'

const membersOnPage = 10
const treatiesMax = 8

export const alliance: Command = {
  name: 'alliance',
  description: 'Shows an alliance and its members',
  options: [{ name: 'alliance', description: 'Its name or tag', kind: 'alliance', isRequired: true }],
  async run({ values, page }, { api, words }) {
    const asked = values.alliance ?? ''
    const chosen = await chooseAlliance(asked, api)
    if (!chosen) return sentence(text`There is no alliance by the name ${name(asked)}.`)
    const [of, members] = await Promise.all([
      api.alliances.get(chosen.id),
      api.alliances.members(chosen.id, { page, limit: membersOnPage }),
    ])
    return {
      embeds: [
        {
          title: allianceText(of),
          url: of.url,
          color: of.color,
          picture: of.flag_url,
          lines: of.description ? [[name(of.description)]] : [],
          fields: [
            ...facts(of),
            ...(await treaties(of, words)),
            list('Members', members.data.map(memberText)),
          ],
          footer: text`Alliance ${code(of.id)}`,
        },
      ],
      pages: { page, pages: members.pagination.pages, again: { alliance: idValue(of.id) } },
    }
  },
}

function facts(of: Alliance): Field[] {
  const { wars } = of
  return [
    ...(of.leader === null ? [] : [fact('Leader', [name(of.leader.nation_name)])]),
    fact(
      'Score',
      text`${of.total_score}${of.rank === null ? '' : ` (number ${number(of.rank)})`}, ${of.average_score} on average`,
    ),
    fact('Size', plain(counted(of.member_count, 'nation'))),
    fact('Wars', plain(`${wars.active} active, ${wars.won} won, ${wars.lost} lost`)),
    ...(of.recruiting === null
      ? []
      : [fact('Recruiting', plain(of.recruiting ? 'takes new members' : 'takes nobody at present'))]),
    ...(of.founded_at === null ? [] : [fact('Founded', [day(of.founded_at)])]),
    ...Object.entries(of.attributes).flatMap(([key, value]) =>
      value === null || typeof value === 'object' ? [] : [fact(readable(key), [name(String(value))])],
    ),
  ]
}

async function treaties(of: Alliance, words: Words): Promise<Field[]> {
  if (of.treaties.length === 0) return []
  const lines = await Promise.all(
    of.treaties
      .slice(0, treatiesMax)
      .map(
        async ({ name: other, type }) => text`${await words.label('treaty_types', type)} with ${name(other)}`,
      ),
  )
  const rest = of.treaties.length - lines.length
  return [list('Treaties', rest > 0 ? [...lines, text`and ${rest} more`] : lines)]
}

const memberText = (of: AllianceMember): Text =>
  text`${name(of.nation_name)}, ${of.rank_title}, ${of.national_score}${of.status === 'active' ? '' : ` (${of.status})`}`
