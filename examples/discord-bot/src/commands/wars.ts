import type { War } from '@chancery/client'
import { chooseNation, idValue } from '../choose.ts'
import type { Command } from '../command.ts'
import { type Field, sentence } from '../reply.ts'
import { ago, code, counted, joined, name, plain, text } from '../text.ts'
import type { Words } from '../words.ts'
import { sideText } from './parts.ts'

const warsOnPage = 6

export const wars: Command = {
  name: 'wars',
  description: 'Shows the wars that go on, of everybody or of one nation',
  options: [{ name: 'nation', description: 'Only its wars', kind: 'nation' }],
  async run({ values, page }, { api, words }) {
    const asked = values.nation
    const chosen = asked === undefined ? undefined : await chooseNation(asked, api)
    if (asked !== undefined && !chosen) return sentence(text`There is no nation by the name ${name(asked)}.`)
    const found = await api.wars.list({
      status: 'active',
      ...(chosen && { nation_id: [chosen.id] }),
      page,
      limit: warsOnPage,
    })
    const fields = await Promise.all(found.data.map(of => warField(of, words)))
    return {
      embeds: [
        {
          title: plain(
            `${counted(found.pagination.total, 'war')} ${found.pagination.total === 1 ? 'goes' : 'go'} on`,
          ),
          lines: fields.length > 0 ? [] : [plain('Peace, for the moment.')],
          fields,
          ...(fields.length > 0 && { footer: plain('war ID shows its battles') }),
        },
      ],
      pages: { page, pages: found.pagination.pages, again: chosen ? { nation: idValue(chosen.id) } : {} },
    }
  },
}

async function warField(of: War, words: Words): Promise<Field> {
  const kind = of.type === null ? [] : [plain(await words.label('war_types', of.type))]
  const battles = plain(counted(of.battles_count, 'battle'))
  return {
    name: text`${sideText(of.attacker)} against ${sideText(of.defender)}`,
    lines: [joined([...kind, battles, [ago(of.declared_at)], [code(of.id)]])],
  }
}
