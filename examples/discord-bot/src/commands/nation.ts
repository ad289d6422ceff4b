import type { Nation } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { type Chosen, chooseNation } from '../choose.ts'
import { type Command, reply, sentence, textOption } from '../command.ts'
import { fact } from '../embed.ts'
import { readable } from '../game-terms.ts'
import { counted, day, italic, name, number } from '../text.ts'
import { attributeFields, membershipText } from './format.ts'

export const nation: Command = {
  data: new SlashCommandBuilder()
    .setName('nation')
    .setDescription('Shows a nation')
    .addStringOption(
      textOption('nation', 'Its name, or its leader’s', { required: true, autocomplete: true }),
    ),
  async execute({ options: { nation: value = '' } }, { api, terms }) {
    const chosen = await chooseNation(value, api)
    if (!chosen) return sentence(`There is no nation or leader by the name ${name(value)}.`)
    const of = await api.nations.get(chosen.id)
    const { wars } = of
    const place = [
      of.government && (await terms.label('governments', of.government)),
      of.continent && (await terms.label('continents', of.continent)),
    ]
    const land = [
      of.city_count === null ? '' : counted(of.city_count, 'city', 'cities'),
      of.land_area === null ? '' : `${number(of.land_area)} km²`,
    ]
    const atWar = [
      wars.active_offensive > 0 ? `${number(wars.active_offensive)} declared by it` : '',
      wars.active_defensive > 0 ? `${number(wars.active_defensive)} declared on it` : '',
    ]
    const optional = (title: string, parts: (string | null)[], none?: string) => {
      const text = parts.filter(Boolean).join(', ') || none
      return text === undefined ? undefined : fact(title, text)
    }
    return reply({
      title: name(of.nation_name),
      url: of.url,
      color: of.color,
      thumbnail: of.flag_url,
      lines: [...(of.motto === null ? [] : [`“${italic(of.motto)}”`]), ...othersText(chosen)],
      fields: [
        of.leader_name === '' ? undefined : fact('Leader', name(of.leader_name)),
        fact(
          'Score',
          `${number(of.national_score)}${of.rank === null ? '' : ` (number ${number(of.rank)})`}`,
        ),
        fact('Alliance', await membershipText(of.alliance, terms)),
        fact('Status', readable(of.status)),
        optional('Government', place),
        optional('Land', land),
        optional('At war', atWar, 'no'),
        fact('Past wars', `${number(wars.won)} won, ${number(wars.lost)} lost`),
        optional('Founded', [of.founded_at && day(of.founded_at)]),
        ...attributeFields(of.attributes),
      ],
      footer: `Nation ${of.id}`,
    })
  },
}

function othersText({ others, total }: Chosen<Nation>): string[] {
  if (others.length === 0) return []
  const shown = others.slice(0, 3).map(({ nation_name }) => name(nation_name))
  const rest = total - 1 - shown.length
  return [`Also found: ${shown.join(', ')}${rest > 0 ? ` and ${number(rest)} more` : ''}`]
}
