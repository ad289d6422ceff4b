import type { Nation } from '@chancery/client'
import { chooseNation } from '../choose.ts'
import type { Command } from '../command.ts'
import { type Field, fact, type Reply, sentence } from '../reply.ts'
import { code, counted, day, italic, joined, name, number, plain, type Text, text } from '../text.ts'
import { readable, type Words } from '../words.ts'
import { allianceText } from './parts.ts'

export const nation: Command = {
  name: 'nation',
  description: 'Shows a nation',
  options: [{ name: 'nation', description: 'Its name, or its leader’s', kind: 'nation', isRequired: true }],
  async run({ values }, { api, words }) {
    const asked = values.nation ?? ''
    const chosen = await chooseNation(asked, api)
    if (!chosen) return sentence(text`There is no nation or leader by the name ${name(asked)}.`)
    const found = await api.nations.get(chosen.id)
    return nationReply(found, words, othersText(chosen.others, chosen.total - 1))
  },
}

const statuses: Record<string, string> = {
  active: 'Active',
  protected: 'Protected: cannot be attacked yet',
  vacation: 'On vacation',
  inactive: 'Inactive',
}

async function nationReply(of: Nation, words: Words, others: Text[]): Promise<Reply> {
  const { wars } = of
  const label = async (list: 'governments' | 'continents', key: string | null) =>
    key === null ? [] : [await words.label(list, key)]
  const place = [
    ...(await label('governments', of.government)),
    ...(await label('continents', of.continent)),
  ].join(', ')
  const land = [
    ...(of.city_count === null ? [] : [counted(of.city_count, 'city', 'cities')]),
    ...(of.land_area === null ? [] : [`${number(of.land_area)} km²`]),
  ].join(', ')
  const fields: Field[] = [
    ...(of.leader_name === '' ? [] : [fact('Leader', [name(of.leader_name)])]),
    fact('Score', text`${of.national_score}${of.rank === null ? '' : ` (number ${number(of.rank)})`}`),
    fact('Alliance', await membershipText(of.alliance, words)),
    fact('Status', plain(statuses[of.status] ?? readable(of.status))),
    ...(place === '' ? [] : [fact('Government', plain(place))]),
    ...(land === '' ? [] : [fact('Land', plain(land))]),
    fact('At war', plain(atWar(wars))),
    fact('Wars so far', plain(`${wars.won} won, ${wars.lost} lost`)),
    ...(of.founded_at === null ? [] : [fact('Founded', [day(of.founded_at)])]),
    ...Object.entries(of.attributes).flatMap(attributeField),
  ]
  return {
    embeds: [
      {
        title: [name(of.nation_name)],
        url: of.url,
        color: of.color,
        picture: of.flag_url,
        lines: [...(of.motto === null ? [] : [text`“${italic(of.motto)}”`]), ...others],
        fields,
        footer: text`Nation ${code(of.id)}`,
      },
    ],
  }
}

export async function membershipText(of: Nation['alliance'], words: Words): Promise<Text> {
  if (of === null) return plain('none')
  return text`${allianceText(of.alliances)}, ${await words.label('ranks', of.rank)}`
}

function atWar({ active_offensive: declared, active_defensive: suffered }: Nation['wars']): string {
  if (declared + suffered === 0) return 'no'
  return [
    ...(declared > 0 ? [`${number(declared)} declared by it`] : []),
    ...(suffered > 0 ? [`${number(suffered)} declared on it`] : []),
  ].join(', ')
}

/** Fields that this game alone has. */
function attributeField([key, value]: [string, unknown]): Field[] {
  if (value === null || typeof value === 'object') return []
  return [fact(readable(key), typeof value === 'number' ? text`${value}` : [name(String(value))])]
}

function othersText(others: Nation[], total: number): Text[] {
  if (others.length === 0) return []
  const shown = others.slice(0, 3).map(({ nation_name }) => [name(nation_name)])
  const rest = total - shown.length
  return [text`Also found: ${joined(shown, ', ')}${rest > 0 ? ` and ${number(rest)} more` : ''}`]
}
