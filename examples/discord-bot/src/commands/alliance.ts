import { SlashCommandBuilder } from 'discord.js'
import { chooseAlliance, idValue } from '../choose.ts'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, attributeFields, fact, flagEmbed, gameTerms, list, taggedName } from '../format.ts'
import { counted, day, name, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('alliance')
  .setDescription('Shows an alliance and its members')
  .addStringOption(option =>
    option.setName('alliance').setDescription('Its name or tag').setRequired(true).setAutocomplete(true),
  )

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction, 'alliance')
  const { id } = await chooseAlliance(request.value, api)
  const [of, members, terms] = await Promise.all([
    api.alliances.get(id),
    api.alliances.members(id, { page: request.page, limit: 10 }),
    gameTerms(api),
  ])
  const { wars } = of
  const rank = of.rank === null ? '' : ` (number ${number(of.rank)})`
  const treaties = of.treaties.map(
    treaty => `${terms.label('treaty_types', treaty.type)} with ${name(treaty.name, 50)}`,
  )
  const memberLines = members.data.map(
    ({ nation_name, rank_title, national_score, status }) =>
      `${name(nation_name, 40)}, ${name(rank_title, 30)}, ${number(national_score)}${status === 'active' ? '' : ` (${status})`}`,
  )
  const embed = flagEmbed(of)
    .setTitle(taggedName(of))
    .setDescription(of.description ? name(of.description, 2_000) : null)
    .setFooter({ text: `Alliance ${of.id}` })
  addFields(embed, [
    ...fact('Leader', of.leader && name(of.leader.nation_name)),
    ...fact('Score', `${number(of.total_score)}${rank}`, `${number(of.average_score)} on average`),
    ...fact('Size', counted(of.member_count, 'nation')),
    ...fact('Wars', `${number(wars.active)} active, ${number(wars.won)} won, ${number(wars.lost)} lost`),
    ...fact('Recruiting', of.recruiting === null ? null : of.recruiting ? 'yes' : 'no'),
    ...fact('Founded', of.founded_at && day(of.founded_at)),
    ...attributeFields(of.attributes),
    list('Treaties', treaties, 'none'),
    list('Members', memberLines),
  ])
  return paged(embed, { ...request, value: idValue(of.id) }, members.pagination.pages)
}
