import { SlashCommandBuilder } from 'discord.js'
import { chooseNation, idValue } from '../choose.ts'
import { type Command, reply, sentence, textOption } from '../command.ts'
import { list } from '../embed.ts'
import { ago, code, counted, name } from '../text.ts'
import { sideText } from './format.ts'

export const wars: Command = {
  data: new SlashCommandBuilder()
    .setName('wars')
    .setDescription('Shows the active wars, of all nations or of one')
    .addStringOption(textOption('nation', 'Only its wars', { autocomplete: true })),
  async execute({ options: { nation }, page }, { api, terms }) {
    const chosen = nation === undefined ? undefined : await chooseNation(nation, api)
    if (nation !== undefined && !chosen) return sentence(`There is no nation by the name ${name(nation)}.`)
    const { data, pagination } = await api.wars.list({
      status: 'active',
      ...(chosen && { nation_id: [chosen.id] }),
      page,
      limit: 6,
    })
    const fields = await Promise.all(
      data.map(async of => {
        const details = [counted(of.battles_count, 'battle'), ago(of.declared_at), code(of.id)]
        if (of.type !== null) details.unshift(await terms.label('war_types', of.type))
        return list(`${sideText(of.attacker)} against ${sideText(of.defender)}`, [details.join(' · ')])
      }),
    )
    const title = counted(pagination.total, 'active war')
    const value = chosen && idValue(chosen.id)
    return reply(
      { title, fields, footer: '/war and an id shows its battles' },
      { page, pages: pagination.pages, value },
    )
  },
}
