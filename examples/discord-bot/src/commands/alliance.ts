import { SlashCommandBuilder } from 'discord.js'
import { chooseAlliance, idValue } from '../choose.ts'
import { type Command, reply, sentence, textOption } from '../command.ts'
import { fact, list } from '../embed.ts'
import { counted, day, name, number } from '../text.ts'
import { allianceText, attributeFields } from './format.ts'

const treatiesMax = 8

export const alliance: Command = {
  data: new SlashCommandBuilder()
    .setName('alliance')
    .setDescription('Shows an alliance and its members')
    .addStringOption(textOption('alliance', 'Its name or tag', { required: true, autocomplete: true })),
  async execute({ options: { alliance: value = '' }, page }, { api, terms }) {
    const chosen = await chooseAlliance(value, api)
    if (!chosen) return sentence(`There is no alliance by the name ${name(value)}.`)
    const [of, members] = await Promise.all([
      api.alliances.get(chosen.id),
      api.alliances.members(chosen.id, { page, limit: 10 }),
    ])
    const { wars } = of
    const rank = of.rank === null ? '' : ` (number ${number(of.rank)})`
    const treaties = await Promise.all(
      of.treaties
        .slice(0, treatiesMax)
        .map(async treaty => `${await terms.label('treaty_types', treaty.type)} with ${name(treaty.name)}`),
    )
    if (of.treaties.length > treatiesMax) treaties.push(`and ${of.treaties.length - treatiesMax} more`)
    return reply(
      {
        title: allianceText(of),
        url: of.url,
        color: of.color,
        thumbnail: of.flag_url,
        lines: of.description ? [name(of.description)] : [],
        fields: [
          of.leader ? fact('Leader', name(of.leader.nation_name)) : undefined,
          fact('Score', `${number(of.total_score)}${rank}, ${number(of.average_score)} on average`),
          fact('Size', counted(of.member_count, 'nation')),
          fact('Wars', `${number(wars.active)} active, ${number(wars.won)} won, ${number(wars.lost)} lost`),
          of.recruiting === null ? undefined : fact('Recruiting', of.recruiting ? 'yes' : 'no'),
          of.founded_at === null ? undefined : fact('Founded', day(of.founded_at)),
          ...attributeFields(of.attributes),
          treaties.length > 0 ? list('Treaties', treaties) : undefined,
          list(
            'Members',
            members.data.map(
              ({ nation_name, rank_title, national_score, status }) =>
                `${name(nation_name)}, ${name(rank_title)}, ${number(national_score)}${status === 'active' ? '' : ` (${status})`}`,
            ),
          ),
        ],
        footer: `Alliance ${of.id}`,
      },
      { page, pages: members.pagination.pages, value: idValue(of.id) },
    )
  },
}
