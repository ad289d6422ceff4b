import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply } from '../command.ts'
import { ago, code, name } from '../text.ts'
import { orNone } from './format.ts'

export const nukes: Command = {
  data: new SlashCommandBuilder()
    .setName('nukes')
    .setDescription('Shows the launches of strategic weapons, the latest first'),
  async execute({ page }, { api }) {
    const { data, pagination } = await api.events.list({
      type: ['strategic_weapon.launched'],
      page,
      limit: 10,
    })
    const lines = data.map(
      ({ occurred_at, summary, war_id }) =>
        `${ago(occurred_at)}${war_id === null ? '' : `, ${code(war_id)}`}: ${name(summary)}`,
    )
    return reply(
      { title: 'Strategic launches', lines: orNone(lines, 'There was no launch yet.') },
      { page, pages: pagination.pages },
    )
  },
}
