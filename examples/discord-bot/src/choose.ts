import type { Alliance, Nation } from '@chancery/client'
import type { Api } from './api.ts'
import type { Words } from './words.ts'

const idPrefix = 'id:'
const idPattern = /^[A-Za-z0-9_-]{1,64}$/
const searchMax = 100
const choicesMax = 25

/** An id as the value of an option: what autocomplete fills in. */
export const idValue = (id: string): string => idPrefix + id

export interface Choice {
  label: string
  value: string
}

/** What somebody means by a value: an id, and what else was found by that name. */
export interface Chosen<T> {
  id: string
  others: T[]
  total: number
}

type Found<T> = { data: T[]; pagination: { total: number } }

async function choose<T extends { id: string }>(
  value: string,
  search: (text: string) => Promise<Found<T>>,
): Promise<Chosen<T> | undefined> {
  if (value.startsWith(idPrefix)) return { id: value.slice(idPrefix.length), others: [], total: 1 }
  const { data, pagination } = await search(value.slice(0, searchMax))
  const [first, ...others] = data
  if (first) return { id: first.id, others, total: pagination.total }
  return idPattern.test(value) ? { id: value, others: [], total: 1 } : undefined
}

/** The nation that is meant: the first that the search finds, or else the one of that id. */
export const chooseNation = (value: string, api: Api): Promise<Chosen<Nation> | undefined> =>
  choose(value, search => api.nations.list({ search, limit: 6 }))

export const chooseAlliance = (value: string, api: Api): Promise<Chosen<Alliance> | undefined> =>
  choose(value, search => api.alliances.list({ search, limit: 6 }))

/** Nations for what has been typed so far; the strongest while nothing has. */
export async function suggestNations(typed: string, api: Api, signal?: AbortSignal): Promise<Choice[]> {
  const { data } = await api.nations.list({ ...searchFor(typed), limit: choicesMax, signal })
  return data.map(({ id, nation_name: name, alliance }) => ({
    label: alliance ? `${name} [${alliance.alliances.tag}]` : name,
    value: idValue(id),
  }))
}

export async function suggestAlliances(typed: string, api: Api, signal?: AbortSignal): Promise<Choice[]> {
  const { data } = await api.alliances.list({ ...searchFor(typed), limit: choicesMax, signal })
  return data.map(({ id, name, tag }) => ({ label: `${name} [${tag}]`, value: idValue(id) }))
}

const searchFor = (typed: string) => (typed.trim() === '' ? {} : { search: typed.slice(0, searchMax) })

/** Ranks of the game that begin with what has been typed. */
export async function suggestRanks(typed: string, words: Words): Promise<Choice[]> {
  const ranks = await words.ranks()
  return ranks
    .filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, choicesMax)
    .map(({ key, label }) => ({ label, value: key }))
}
