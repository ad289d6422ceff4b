import type { Era } from '@chancery/client'
import { SlashCommandBuilder } from 'discord.js'
import { type Command, reply } from '../command.ts'
import { list } from '../embed.ts'
import { bold, day, italic, name } from '../text.ts'

export const era: Command = {
  data: new SlashCommandBuilder()
    .setName('era')
    .setDescription('Shows the eras of the game, the latest first'),
  async execute({ page }, { api }) {
    const { data, pagination } = await api.eras.list({ page, limit: 5 })
    const fields = data.map(of =>
      list(of.number === null ? name(of.name) : `${of.number}. ${name(of.name)}`, [
        periodText(of),
        of.champion === null ? '' : `Champion: ${bold(of.champion.name)}`,
        of.summary === null ? '' : italic(of.summary),
      ]),
    )
    const lines = fields.length > 0 ? [] : ['No era has begun.']
    return reply({ title: 'Eras', lines, fields }, { page, pages: pagination.pages })
  },
}

function periodText({ status, started_at: start, ended_at: end }: Era): string {
  if (status === 'upcoming') return start === null ? 'Upcoming' : `Begins ${day(start)}`
  if (status === 'active') return start === null ? 'Active' : `Active since ${day(start)}`
  if (end === null) return 'Ended'
  return start === null ? `Until ${day(end)}` : `${day(start)} to ${day(end)}`
}
