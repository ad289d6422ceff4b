import type { Battle, War } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { idValue } from '../choose.ts'
import { type Command, reply, textOption } from '../command.ts'
import { fact, list } from '../embed.ts'
import type { GameTerms } from '../game-terms.ts'
import { ago, italic, name, number } from '../text.ts'
import { lossesText, orNone, outcomeText, sideText } from './format.ts'

export const war: Command = {
  data: new SlashCommandBuilder()
    .setName('war')
    .setDescription('Shows a war and its battles')
    .addStringOption(textOption('war', 'Its id, from the list of wars', { required: true })),
  async execute({ options, page }, { api, terms }) {
    const id = (options.war ?? '').replace(/^id:/, '')
    const [of, battles] = await Promise.all([api.wars.get(id), api.wars.battles(id, { page, limit: 6 })])
    const lines = await Promise.all(battles.data.map(battle => battleText(battle, of, terms)))
    const outcome = outcomeText(of)
    return reply(
      {
        title: `${name(of.attacker.nation_name)} against ${name(of.defender.nation_name)}`,
        url: of.url,
        lines: of.reason === null ? [] : [`“${italic(of.reason)}”`],
        fields: [
          fact('Attacker', sideText(of.attacker)),
          fact('Defender', sideText(of.defender)),
          of.type === null ? undefined : fact('Kind', await terms.label('war_types', of.type)),
          fact('Declared', ago(of.declared_at)),
          fact('Outcome', of.ended_at === null ? outcome : `${outcome}, ${ago(of.ended_at)}`),
          fact('Battles', number(of.battles_count)),
          list('Losses of the attacker', [await lossesText(of.losses.attacker, terms)]),
          list('Losses of the defender', [await lossesText(of.losses.defender, terms)]),
          list('Battles, the first one first', orNone(lines, 'There was none yet.')),
        ],
        footer: `War ${of.id}`,
      },
      { page, pages: battles.pagination.pages, value: idValue(of.id) },
    )
  },
}

async function battleText(battle: Battle, { attacker, defender }: War, terms: GameTerms): Promise<string> {
  const nameOf = (id: string) =>
    name([attacker, defender].find(({ nation_id }) => nation_id === id)?.nation_name ?? id)
  const kind = battle.kind === null ? 'Battle' : await terms.label('battle_kinds', battle.kind)
  const winner = battle.victor === 'attacker' ? battle.attacker_nation_id : battle.defender_nation_id
  const drawn = battle.victor === null ? 'outcome unknown' : 'draw'
  const result = battle.victor === null || battle.victor === 'draw' ? drawn : `${nameOf(winner)} won`
  return `${kind} by ${nameOf(battle.attacker_nation_id)}, ${ago(battle.fought_at)}: ${result}`
}
