/** Nations and alliances by name, for options and their autocomplete. */
import type { Page } from '@chancery/client'
import type { AutocompleteInteraction } from 'discord.js'
import { type Api, type Bot, UserError } from './command.ts'
import { gameTerms } from './format.ts'
import { name, plainName } from './text.ts'

const searchMax = 100
const choicesMax = 25

/** An id as the value of an option, which autocomplete fills in. */
export const idValue = (id: string): string => `id:${id}`

type List<T> = (query: { search: string; limit: number }) => Promise<Page<T>>

/** The id in the value, else of the first item that the search finds, with the others, else the value as an id. */
async function choose<T extends { id: string }>(kind: string, value: string, list: List<T>) {
  if (value.startsWith('id:')) return { id: value.slice(3), others: [], total: 1 }
  const { data, pagination } = await list({ search: value.slice(0, searchMax), limit: 6 })
  const [first, ...others] = data
  if (first) return { id: first.id, others, total: pagination.total }
  if (/^[A-Za-z0-9_-]{1,64}$/.test(value)) return { id: value, others: [], total: 1 }
  throw new UserError(`There is no ${kind} by the name ${name(value)}.`)
}

export const chooseNation = (value: string, api: Api) => choose('nation or leader', value, api.nations.list)
export const chooseAlliance = (value: string, api: Api) => choose('alliance', value, api.alliances.list)

/** Responds with choices for what was typed so far; for nothing with the strongest nations or alliances. */
export async function autocomplete(interaction: AutocompleteInteraction, { api }: Bot): Promise<void> {
  const { name: option, value: typed } = interaction.options.getFocused(true)
  // Discord allows three seconds; without choices the user can still send what was typed.
  const signal = AbortSignal.timeout(2_000)
  const query = { search: typed.trim() ? typed.slice(0, searchMax) : undefined, limit: choicesMax, signal }
  const choices = async (): Promise<[label: string, value: string][]> => {
    if (option === 'alliance') {
      const { data } = await api.alliances.list(query)
      return data.map(({ id, name, tag }) => [`${name} [${tag}]`, idValue(id)])
    }
    if (option === 'rank') {
      const { ranks } = await gameTerms(api)
      const found = ranks.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()))
      return found.slice(0, choicesMax).map(({ key, label }) => [label, key])
    }
    const { data } = await api.nations.list(query)
    return data.map(({ id, nation_name, alliance }) => [
      alliance ? `${nation_name} [${alliance.alliances.tag}]` : nation_name,
      idValue(id),
    ])
  }
  const found = await choices().catch(() => [])
  await interaction.respond(found.map(([label, value]) => ({ name: plainName(label), value })))
}
