import type { Era } from '@chancery/client'
import { bold, EmbedBuilder, italic, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, list } from '../format.ts'
import { day, name } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('era')
  .setDescription('Shows the eras of the game, the latest first')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const { data, pagination } = await api.eras.list({ page: request.page, limit: 5 })
  if (data.length === 0) return 'No era has begun.'
  const fields = data.map(of =>
    list(of.number === null ? name(of.name) : `${of.number}. ${name(of.name)}`, [
      periodText(of),
      of.champion === null ? '' : `Champion: ${bold(name(of.champion.name))}`,
      of.summary === null ? '' : italic(name(of.summary, 800)),
    ]),
  )
  return paged(addFields(new EmbedBuilder().setTitle('Eras'), fields), request, pagination.pages)
}

function periodText({ status, started_at: start, ended_at: end }: Era): string {
  if (status === 'upcoming') return start === null ? 'Upcoming' : `Begins ${day(start)}`
  if (status === 'active') return start === null ? 'Active' : `Active since ${day(start)}`
  if (end === null) return 'Ended'
  return start === null ? `Until ${day(end)}` : `${day(start)} to ${day(end)}`
}
