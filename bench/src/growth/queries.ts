/** The queries that are measured, from the contract: every public list with each filter and combination of filters, every item by id. */
import { type Operation, operations, type Parameter } from '@chancery/contract'

/** `flat` and `one` (an item): every page costs the same in worlds of all sizes. `bounded`: within fixed bounds. */
export type CostClass = 'flat' | 'one' | 'bounded'

export interface Query {
  operation: string
  /** The filters with their values, where these are short. */
  name: string
  /** Of a list, followed by limit and page; of an item, with `{id}`. */
  path: string
  cost: CostClass
  /** How many filters. */
  filters: number
  /** Identifies the query in every world, whatever its values. */
  order: number
}

export interface Api {
  /** Milliseconds to the last byte, and the total of a list. Rejects unless the status is 200. */
  time(path: string): Promise<{ ms: number; total: number | undefined }>
  /** The parsed body. */
  read<T>(path: string): Promise<T>
}

/** A value of a filter. `broad`: selects much of the world; `narrow`: a handful of rows. */
interface Value {
  text: string
  breadth: 'broad' | 'narrow'
}

interface Filter {
  name: string
  values: Value[]
}

/** `halfAt`: a time in the middle of the world's changes. */
export async function createQueries(api: Api, halfAt: string): Promise<Query[]> {
  const queries: Query[] = []
  for (const operation of Object.values(operations) as Operation[]) {
    if (operation.cache === 'stream' || operation.cache === 'private' || operation.scope !== 'none') continue
    if (operation.returns.isList) queries.push(...(await listQueries(operation, api, halfAt)))
    else if (operation.path.endsWith('/{id}'))
      queries.push({
        operation: operation.id,
        name: 'by id',
        path: operation.path,
        cost: 'one',
        filters: 0,
        order: 0,
      })
  }
  return queries
}

async function listQueries(operation: Operation, api: Api, halfAt: string): Promise<Query[]> {
  const path = await pathOf(operation, api)
  const filters: Filter[] = []
  for (const [name, parameter] of Object.entries(operation.parameters as Record<string, Parameter>)) {
    if (parameter.in !== 'query' || name === 'page' || name === 'limit') continue
    filters.push({ name, values: await valuesOf(api, halfAt, operation.id, name, parameter) })
  }
  const chosen: [string, Value][][] = [
    [],
    ...filters.flatMap(({ name, values }) => values.map((value): [string, Value][] => [[name, value]])),
    ...combinationsOf(filters),
  ]
  return chosen.map((pairs, order) => ({
    order,
    operation: operation.id,
    name: pairs.map(([name, { text }]) => (text.length <= 36 ? `${name}=${text}` : name)).join(' ') || 'all',
    path: `${path}?${pairs.map(([name, { text }]) => `${name}=${encodeURIComponent(text)}&`).join('')}`,
    cost: isFlat(operation, pairs) ? 'flat' : 'bounded',
    filters: pairs.length,
  }))
}

/** Two filters and more: all of them broad, which costs most; and of two, each of them narrow once. */
function combinationsOf(filters: Filter[]): [string, Value][][] {
  const combinations: [string, Value][][] = []
  const pick = ({ name, values }: Filter, breadth: Value['breadth']): [string, Value] => [
    name,
    values.find(value => value.breadth === breadth) ?? values[0] ?? { text: 'none', breadth },
  ]
  for (let bits = 1; bits < 2 ** filters.length; bits += 1) {
    const taken = filters.filter((_, index) => bits & (1 << index))
    if (taken.length < 2) continue
    combinations.push(taken.map(filter => pick(filter, 'broad')))
    if (taken.length > 2) continue
    for (const narrow of taken)
      if (narrow.values.some(({ breadth }) => breadth === 'narrow'))
        combinations.push(taken.map(filter => pick(filter, filter === narrow ? 'narrow' : 'broad')))
  }
  return combinations
}

const flatLists = new Set(['nations.list', 'alliances.list', 'rankings.list', 'events.list'])

function isFlat({ id }: Operation, pairs: [string, Value][]): boolean {
  if (!flatLists.has(id) || pairs.length > 1) return false
  const [pair] = pairs
  if (!pair) return true
  const [name, { text }] = pair
  return name === 'board' || name === 'after' || (name === 'type' && !/[*,]/.test(text))
}

/** A list below an item: of the largest one. */
async function pathOf({ path }: Operation, api: Api): Promise<string> {
  if (!path.includes('{id}')) return path
  const [parent = ''] = path.split('/{id}')
  type Parent = { id: string; member_count?: number; battles_count?: number }
  const { data } = await api.read<{ data: Parent[] }>(`${parent}?limit=100`)
  const sizeOf = ({ member_count, battles_count }: Parent) => member_count ?? battles_count ?? 0
  const largest = data.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0]
  return path.replace('{id}', largest?.id ?? 'none')
}

interface Page<T> {
  data: T[]
  pagination: { total: number; pages: number }
}

const broad = (...texts: string[]): Value[] => texts.map(text => ({ text, breadth: 'broad' }))
const narrow = (text: string): Value => ({ text, breadth: 'narrow' })

/** The values to measure of a filter in this world. A new filter of the contract needs values here, unless it is an enum. */
async function valuesOf(
  api: Api,
  halfAt: string,
  operation: string,
  name: string,
  { schema, profileList }: Parameter,
): Promise<Value[]> {
  const page = <T = { id: string }>(path: string) => api.read<Page<T>>(path)
  const idOfHalf = async (path: string) => {
    const { pages } = (await page(`${path}?limit=1`)).pagination
    const { data } = await page(`${path}?limit=1&page=${Math.max(1, Math.ceil(pages / 2))}`)
    return data[0]?.id ?? 'none'
  }
  /** The first hundred of a list, and one from its middle. */
  const someIds = async (path: string): Promise<Value[]> => [
    ...broad((await page(`${path}?limit=100`)).data.map(({ id }) => id).join(',')),
    narrow(await idOfHalf(path)),
  ]
  /** The lowest score of these shares of the ranking. */
  const scores = async (broadShare: number, narrowShare: number): Promise<Value[]> => {
    const { total } = (await page('/rankings?limit=1')).pagination
    const scoreAt = async (share: number) => {
      const place = Math.max(1, Math.ceil(total * share))
      const { data } = await page<{ national_score: number }>(`/rankings?limit=1&page=${place}`)
      return `${data[0]?.national_score ?? 0}`
    }
    return [...broad(await scoreAt(broadShare)), narrow(await scoreAt(narrowShare))]
  }

  const known: Record<string, () => Promise<Value[]> | Value[]> = {
    nation_id: () => someIds('/nations'),
    alliance_id: () => someIds('/alliances'),
    'nations.list ids': () => someIds('/nations'),
    'alliances.list ids': () => someIds('/alliances'),
    'wars.list ids': () => someIds('/wars'),
    'nations.list search': () => piecesOfNames(api, '/nations', 'nation_name'),
    'alliances.list search': () => piecesOfNames(api, '/alliances', 'name'),
    min_score: () => scores(0.7, 0.001),
    max_score: () => scores(0.3, 0.999),
    war_id: async () => [narrow(await idOfHalf('/wars'))],
    conflict_id: async () => {
      const { data } = await page<{ id: string; wars: { total: number } }>('/global-conflicts?limit=100')
      return broad(data.toSorted((one, other) => other.wars.total - one.wars.total)[0]?.id ?? 'none')
    },
    type: () => [
      ...broad('war.declared', 'war.*,nation.*,alliance.*,battle.*'),
      narrow('alliance.disbanded'),
    ],
    since: () => broad('2000-01-01T00:00:00Z', halfAt),
    until: () => broad('2100-01-01T00:00:00Z', halfAt),
    after: async () => {
      const newest = (await page<{ seq: number }>('/events?limit=1')).data[0]?.seq ?? 0
      return broad('0', `${Math.floor(newest / 2)}`)
    },
  }
  const choose = known[`${operation} ${name}`] ?? known[name]
  if (choose) return choose()
  if (profileList) {
    const { data } = await api.read<{ data: Record<string, { key: string }[]> }>('/game')
    return broad(...(data[profileList.list] ?? []).slice(0, 1).map(({ key }) => key))
  }
  const { enum: texts } = schema as { enum?: string[] }
  if (!texts) throw new Error(`${operation} has a filter ${name} without values: add them to valuesOf`)
  return texts.map((text, index) => ({ text, breadth: index === 0 ? 'broad' : 'narrow' }))
}

const sampledPages = 20

/** The commonest substring of one to four letters, the commonest word, and one whole name. */
async function piecesOfNames(api: Api, path: string, field: string): Promise<Value[]> {
  type Named = Record<string, string>
  const { pages } = (await api.read<Page<Named>>(`${path}?limit=100`)).pagination
  const names = new Set<string>()
  for (let sample = 0; sample < sampledPages; sample += 1) {
    const number = 1 + Math.floor((pages * sample) / sampledPages)
    const { data } = await api.read<Page<Named>>(`${path}?limit=100&page=${number}`)
    for (const item of data) names.add(item[field]?.toLowerCase() ?? '')
  }
  const commonest = (piecesOf: (name: string) => string[]): Value[] => {
    const counts = new Map<string, number>()
    for (const name of names)
      for (const piece of new Set(piecesOf(name))) counts.set(piece, (counts.get(piece) ?? 0) + 1)
    const [piece] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? []
    return piece === undefined ? [] : broad(piece)
  }
  const substrings = (length: number) => (name: string) =>
    Array.from({ length: Math.max(0, name.length - length + 1) }, (_, at) =>
      name.slice(at, at + length),
    ).filter(piece => /^\p{L}+$/u.test(piece))
  return [
    ...[2, 1, 3, 4].flatMap(length => commonest(substrings(length))),
    ...commonest(name => name.split(' ').filter(word => word.length > 4)),
    narrow([...names].at(-1) ?? 'none'),
  ]
}
