import { EmbedBuilder, italic, SlashCommandBuilder } from 'discord.js'
import { idValue } from '../choose.ts'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, address, fact, gameTerms, list, lossesText, outcomeText, sideText } from '../format.ts'
import { ago, name, number } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('war')
  .setDescription('Shows a war and its battles')
  .addStringOption(option =>
    option.setName('war').setDescription('Its id, from the list of wars').setRequired(true),
  )

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction, 'war')
  const id = request.value.replace(/^id:/, '')
  const [of, battles, terms] = await Promise.all([
    api.wars.get(id),
    api.wars.battles(id, { page: request.page, limit: 6 }),
    gameTerms(api),
  ])
  const nameOf = (id: string) =>
    name([of.attacker, of.defender].find(({ nation_id }) => nation_id === id)?.nation_name ?? id, 50)
  const lines = battles.data.map(battle => {
    const { victor, attacker_nation_id: attacker, defender_nation_id: defender } = battle
    const kind = battle.kind === null ? 'Battle' : terms.label('battle_kinds', battle.kind)
    const isWon = victor === 'attacker' || victor === 'defender'
    const result = isWon ? `${nameOf(victor === 'attacker' ? attacker : defender)} won` : victor
    return `${kind} by ${nameOf(attacker)}, ${ago(battle.fought_at)}: ${result ?? 'outcome unknown'}`
  })
  const embed = new EmbedBuilder()
    .setTitle(`${name(of.attacker.nation_name)} against ${name(of.defender.nation_name)}`)
    .setURL(address(of.url))
    .setDescription(of.reason && `“${italic(name(of.reason, 500))}”`)
    .setFooter({ text: `War ${of.id}` })
  addFields(embed, [
    ...fact('Attacker', sideText(of.attacker)),
    ...fact('Defender', sideText(of.defender)),
    ...fact('Kind', of.type && terms.label('war_types', of.type)),
    ...fact('Declared', ago(of.declared_at)),
    ...fact('Outcome', outcomeText(of), of.ended_at && ago(of.ended_at)),
    ...fact('Battles', number(of.battles_count)),
    list('Losses of the attacker', [lossesText(of.losses.attacker, terms)]),
    list('Losses of the defender', [lossesText(of.losses.defender, terms)]),
    list('Battles, the first one first', lines, 'There was none yet.'),
  ])
  return paged(embed, { ...request, value: idValue(of.id) }, battles.pagination.pages)
}
