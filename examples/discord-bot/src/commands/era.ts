import { bold, EmbedBuilder, italic, SlashCommandBuilder } from 'discord.js'
import { type Bot, type PagedInteraction, paged, pageRequest } from '../command.ts'
import { addFields, list, readable } from '../format.ts'
import { day, name } from '../text.ts'

export const data = new SlashCommandBuilder()
  .setName('era')
  .setDescription('Shows the eras of the game, the latest first')

export async function execute(interaction: PagedInteraction, { api }: Bot) {
  const request = pageRequest(interaction)
  const { data, pagination } = await api.eras.list({ page: request.page, limit: 5 })
  if (data.length === 0) return 'No era has begun.'
  const fields = data.map(of => {
    const from = of.started_at === null ? '' : ` from ${day(of.started_at)}`
    const to = of.ended_at === null ? '' : ` to ${day(of.ended_at)}`
    return list(of.number === null ? name(of.name) : `${of.number}. ${name(of.name)}`, [
      readable(of.status) + from + to,
      of.champion === null ? '' : `Champion: ${bold(name(of.champion.name))}`,
      of.summary === null ? '' : italic(name(of.summary, 800)),
    ])
  })
  return paged(addFields(new EmbedBuilder({ title: 'Eras' }), fields), request, pagination.pages)
}
