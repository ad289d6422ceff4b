/** Nations and alliances by name, for options and their autocomplete. */
import type { Api } from './command.ts'
import type { GameTerms } from './game-terms.ts'

const idPattern = /^[A-Za-z0-9_-]{1,64}$/
const searchMax = 100
const choicesMax = 25

/** An id as the value of an option. */
export const idValue = (id: string): string => `id:${id}`

/** The id for a value, and the other items that were found by that name. */
export interface Chosen<T> {
  id: string
  others: T[]
  total: number
}

/** The item with the id, else the first that the search finds, else the value as an id. */
async function choose<T extends { id: string }>(
  value: string,
  search: (text: string) => Promise<{ data: T[]; pagination: { total: number } }>,
): Promise<Chosen<T> | undefined> {
  if (value.startsWith('id:')) return { id: value.slice(3), others: [], total: 1 }
  const { data, pagination } = await search(value.slice(0, searchMax))
  const [first, ...others] = data
  if (first) return { id: first.id, others, total: pagination.total }
  return idPattern.test(value) ? { id: value, others: [], total: 1 } : undefined
}

export const chooseNation = (value: string, api: Api) =>
  choose(value, search => api.nations.list({ search, limit: 6 }))
export const chooseAlliance = (value: string, api: Api) =>
  choose(value, search => api.alliances.list({ search, limit: 6 }))

/** The choices of an option for what was typed so far; the strongest nations or alliances for nothing. */
export async function autocomplete(
  option: string,
  typed: string,
  { api, terms }: { api: Api; terms: GameTerms },
  signal: AbortSignal,
): Promise<{ name: string; value: string }[]> {
  const query = { ...(typed.trim() && { search: typed.slice(0, searchMax) }), limit: choicesMax, signal }
  if (option === 'nation')
    return (await api.nations.list(query)).data.map(({ id, nation_name, alliance }) => ({
      name: alliance ? `${nation_name} [${alliance.alliances.tag}]` : nation_name,
      value: idValue(id),
    }))
  if (option === 'alliance')
    return (await api.alliances.list(query)).data.map(({ id, name, tag }) => ({
      name: `${name} [${tag}]`,
      value: idValue(id),
    }))
  if (option !== 'rank') return []
  return (await terms.ranks())
    .filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, choicesMax)
    .map(({ key, label }) => ({ name: label, value: key }))
}
