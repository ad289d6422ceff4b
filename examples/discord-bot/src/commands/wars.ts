import { EmbedBuilder, inlineCode, SlashCommandBuilder } from 'discord.js'
import { chooseNation, idValue } from '../choose.ts'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, gameTerms, list, partyText } from '../format.ts'
import { ago, counted } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('wars')
  .setDescription('Shows the active wars, of all nations or of one')
  .addStringOption(option => option.setName('nation').setDescription('Only its wars').setAutocomplete(true))

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction, 'nation')
  const chosen = request.value ? await chooseNation(request.value, api) : undefined
  const [{ data, pagination }, terms] = await Promise.all([
    api.wars.list({ status: 'active', nation_id: chosen && [chosen.id], page: request.page, limit: 6 }),
    gameTerms(api),
  ])
  const fields = data.map(of => {
    const details = [counted(of.battles_count, 'battle'), ago(of.declared_at), inlineCode(of.id)]
    if (of.type !== null) details.unshift(terms.label('war_types', of.type))
    const parties = [
      partyText(of.attacker, of.attacker_type, 50),
      partyText(of.defender, of.defender_type, 50),
    ]
    return list(parties.join(' against '), [details.join(' · ')])
  })
  const embed = new EmbedBuilder()
    .setTitle(counted(pagination.total, 'active war'))
    .setFooter({ text: '/war and an id shows its battles' })
  const value = chosen ? idValue(chosen.id) : ''
  return paged(addFields(embed, fields), { ...request, value }, pagination.pages)
}
