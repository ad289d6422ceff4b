import { EmbedBuilder, italic, SlashCommandBuilder } from 'discord.js'
import { idValue } from '../choose.ts'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import {
  addFields,
  address,
  fact,
  gameTerms,
  list,
  lossesText,
  outcomeText,
  partyName,
  partyText,
  sideText,
} from '../format.ts'
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
    name(
      [of.attacker, of.defender, ...of.participants].find(({ nation_id }) => nation_id === id)?.nation_name ??
        id,
      50,
    )
  const alliesOf = (side: 'attacker' | 'defender') =>
    of.participants
      .filter(participant => participant.side === side)
      .map(
        participant => `${sideText(participant, 50)}${participant.left_at === null ? '' : ', until it left'}`,
      )
  const lines = battles.data.map(battle => {
    const { victor, attacker_nation_id: attacker, defender_nation_id: defender } = battle
    const kind = battle.kind === null ? 'Battle' : terms.label('battle_kinds', battle.kind)
    const isWon = victor === 'attacker' || victor === 'defender'
    const result = isWon ? `${nameOf(victor === 'attacker' ? attacker : defender)} won` : victor
    return `${kind} by ${nameOf(attacker)}, ${ago(battle.fought_at)}: ${result ?? 'outcome unknown'}`
  })
  const parties = of.is_mutual
    ? { attacker: 'first party', defender: 'second party' }
    : { attacker: 'attacker', defender: 'defender' }
  const embed = new EmbedBuilder()
    .setTitle(
      `${partyName(of.attacker, of.attacker_type)} against ${partyName(of.defender, of.defender_type)}`,
    )
    .setURL(address(of.url))
    .setDescription(of.reason && `“${italic(name(of.reason, 500))}”`)
    .setFooter({ text: `War ${of.id}` })
  addFields(embed, [
    ...fact(of.is_mutual ? 'First party' : 'Attacker', partyText(of.attacker, of.attacker_type)),
    ...fact(of.is_mutual ? 'Second party' : 'Defender', partyText(of.defender, of.defender_type)),
    ...(['attacker', 'defender'] as const).flatMap(side =>
      alliesOf(side).length > 0 ? [list(`Beside the ${parties[side]}`, alliesOf(side))] : [],
    ),
    ...fact('Kind', of.type && terms.label('war_types', of.type)),
    ...fact('Declared', ago(of.declared_at)),
    ...fact('Outcome', outcomeText(of, terms), of.ended_at && ago(of.ended_at)),
    ...fact('Battles', number(of.battles_count)),
    list(`Losses of the ${parties.attacker}`, [lossesText(of.losses.attacker, terms)]),
    list(`Losses of the ${parties.defender}`, [lossesText(of.losses.defender, terms)]),
    list('Battles, the first one first', lines, 'There was none yet.'),
  ])
  return paged(embed, { ...request, value: idValue(of.id) }, battles.pagination.pages)
}
