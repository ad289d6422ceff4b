import type { Battle, War } from '@chancery/client'
import { idValue } from '../choose.ts'
import type { Command } from '../command.ts'
import { fact, list } from '../reply.ts'
import { ago, code, italic, name, number, plain, type Text, text } from '../text.ts'
import type { Words } from '../words.ts'
import { lossesText, orNothing, sideText, standingText, victorText } from './parts.ts'

const battlesOnPage = 6

export const war: Command = {
  name: 'war',
  description: 'Shows a war and its battles',
  options: [
    { name: 'war', description: 'Its id, as the list of wars shows it', kind: 'text', isRequired: true },
  ],
  async run({ values, page }, { api, words }) {
    const id = (values.war ?? '').replace(/^id:/, '')
    const [of, battles] = await Promise.all([
      api.wars.get(id),
      api.wars.battles(id, { page, limit: battlesOnPage }),
    ])
    const lines = await Promise.all(battles.data.map(battle => battleText(battle, of, words)))
    return {
      embeds: [
        {
          title: text`${name(of.attacker.nation_name)} against ${name(of.defender.nation_name)}`,
          url: of.url,
          lines: of.reason === null ? [] : [text`“${italic(of.reason)}”`],
          fields: [
            fact('Attacker', sideText(of.attacker)),
            fact('Defender', sideText(of.defender)),
            ...(of.type === null ? [] : [fact('Kind', plain(await words.label('war_types', of.type)))]),
            fact('Declared', [ago(of.declared_at)]),
            fact(
              'Outcome',
              of.ended_at === null ? plain(standingText(of)) : text`${standingText(of)}, ${ago(of.ended_at)}`,
            ),
            fact('Battles', plain(number(of.battles_count))),
            list('The attacker lost', [await lossesText(of.losses.attacker, words)]),
            list('The defender lost', [await lossesText(of.losses.defender, words)]),
            list('Battles, the first one first', orNothing(lines, 'None was fought yet.')),
          ],
          footer: text`War ${code(of.id)}`,
        },
      ],
      pages: { page, pages: battles.pagination.pages, again: { war: idValue(of.id) } },
    }
  },
}

async function battleText(battle: Battle, { attacker, defender }: War, words: Words): Promise<Text> {
  const nameOf = (nationId: string) =>
    [attacker, defender].find(side => side.nation_id === nationId)?.nation_name ?? nationId
  const kind = battle.kind === null ? 'Battle' : await words.label('battle_kinds', battle.kind)
  return text`${kind} by ${name(nameOf(battle.attacker_nation_id))}, ${ago(battle.fought_at)}: ${victorText(battle, nameOf)}`
}
