/** The queries that are measured, from the contract: every public list with each filter and combination of filters, every item by id. */
import { type Operation, operations, type Parameter } from '@chancery/contract'
import type { Api, Page } from './api.ts'

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

/** A value of a filter. `broad`: selects much of the world; `narrow`: a handful of rows. */
interface Value {
  text: string
  breadth: 'broad' | 'narrow'
}

interface Filter {
  name: string
  values: Value[]
}

type Pair = [name: string, value: Value]

/** `halfAt`: a time in the middle of the world's changes. */
export async function createQueries(api: Api, halfAt: string): Promise<Query[]> {
  const queries: Query[] = []
  for (const operation of Object.values(operations) as Operation[]) {
    const { id, path, cache, scope, returns } = operation
    if (cache === 'stream' || cache === 'private' || scope !== 'none') continue
    if (returns.isList) queries.push(...(await listQueries(operation, api, halfAt)))
    else if (path.endsWith('/{id}'))
      queries.push({ operation: id, name: 'by id', path, cost: 'one', filters: 0, order: 0 })
  }
  return queries
}

/** Ranges of an attribute are measured with the attribute, which they require. */
const unmeasured = new Set(['page', 'limit', 'min_attribute', 'max_attribute'])

async function listQueries(operation: Operation, api: Api, halfAt: string): Promise<Query[]> {
  const { id } = operation
  const path = await pathOf(operation, api)
  const filters: Filter[] = []
  for (const [name, parameter] of Object.entries(operation.parameters as Record<string, Parameter>)) {
    if (parameter.in !== 'query' || unmeasured.has(name)) continue
    filters.push({ name, values: await valuesOf(api, halfAt, operation.id, name, parameter) })
  }
  const single = filters.flatMap(({ name, values }) => values.map((value): Pair[] => [[name, value]]))
  const ranges: Pair[][] = []
  for (const [pair] of single)
    if (id === 'nations.list' && pair?.[0] === 'attribute')
      for (const share of [0.7, 0.001]) {
        const least = await itemAt<{ value: number }>(api, `/rankings?attribute=${pair[1].text}&`, share)
        ranges.push([pair, ['min_attribute', { text: `${least?.value ?? 0}`, breadth: 'broad' }]])
      }
  return [[], ...single, ...ranges, ...combinationsOf(filters)].map((pairs, order) => ({
    order,
    operation: operation.id,
    name: pairs.map(([name, { text }]) => (text.length <= 36 ? `${name}=${text}` : name)).join(' ') || 'all',
    path: `${path}?${pairs.map(([name, { text }]) => `${name}=${encodeURIComponent(text)}&`).join('')}`,
    cost: isFlat(operation, pairs) ? 'flat' : 'bounded',
    filters: pairs.length,
  }))
}

/** Two filters and more: all of them broad, which costs most; and of two, each of them narrow once. */
function combinationsOf(filters: Filter[]): Pair[][] {
  const combinations: Pair[][] = []
  const pick = ({ name, values }: Filter, breadth: Value['breadth']): Pair => [
    name,
    values.find(value => value.breadth === breadth) ?? values[0] ?? { text: 'none', breadth },
  ]
  for (let bits = 1; bits < 2 ** filters.length; bits += 1) {
    const chosen = filters.filter((_, index) => bits & (1 << index))
    if (chosen.length < 2) continue
    combinations.push(chosen.map(filter => pick(filter, 'broad')))
    if (chosen.length > 2) continue
    for (const narrow of chosen)
      if (narrow.values.some(({ breadth }) => breadth === 'narrow'))
        combinations.push(chosen.map(filter => pick(filter, filter === narrow ? 'narrow' : 'broad')))
  }
  return combinations
}

const flatLists = new Set(['nations.list', 'members.list', 'alliances.list', 'rankings.list', 'events.list'])

function isFlat({ id }: Operation, [pair, ...others]: Pair[]): boolean {
  if (!flatLists.has(id) || others.length > 0) return false
  if (!pair) return true
  const [name, { text }] = pair
  // Nations with an attribute are found by reading all of them.
  if (name === 'attribute') return id === 'rankings.list'
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

const broad = (...texts: string[]): Value[] => texts.map(text => ({ text, breadth: 'broad' }))
const narrow = (text: string): Value => ({ text, breadth: 'narrow' })

/** The item at a share of a list. `path`: ends with `?` or `&`. */
async function itemAt<T>(api: Api, path: string, share: number): Promise<T | undefined> {
  const { total } = (await api.read<Page<T>>(`${path}limit=1`)).pagination
  const number = Math.max(1, Math.ceil(total * share))
  return (await api.read<Page<T>>(`${path}limit=1&page=${number}`)).data[0]
}

/** The values to measure of a filter in this world. A new filter of the contract needs values here, unless it is an enum. */
async function valuesOf(
  api: Api,
  halfAt: string,
  operation: string,
  name: string,
  { schema, profileList }: Parameter,
): Promise<Value[]> {
  const page = <T = { id: string }>(path: string) => api.read<Page<T>>(path)
  const idOfHalf = async (path: string) => (await itemAt<{ id: string }>(api, `${path}?`, 0.5))?.id ?? 'none'
  /** The first hundred of a list, and one from its middle. */
  const someIds = async (path: string): Promise<Value[]> => [
    ...broad((await page(`${path}?limit=100`)).data.map(({ id }) => id).join(',')),
    narrow(await idOfHalf(path)),
  ]
  /** The lowest scores of two shares of the ranking. */
  const scores = async (...shares: [broad: number, narrow: number]): Promise<Value[]> => {
    const items = shares.map(share => itemAt<{ national_score: number }>(api, '/rankings?', share))
    const [one = '0', other = '0'] = (await Promise.all(items)).map(item => `${item?.national_score ?? 0}`)
    return [...broad(one), narrow(other)]
  }
  const known: Record<string, () => Promise<Value[]> | Value[]> = {
    nation_id: () => someIds('/nations'),
    alliance_id: () => someIds('/alliances'),
    'nations.list alliance_id': async () => [...(await someIds('/alliances')), ...broad('none')],
    'nations.list sort': () => broad('founded', 'cities', 'name'),
    'nations.list ids': () => someIds('/nations'),
    'alliances.list ids': () => someIds('/alliances'),
    'wars.list ids': () => someIds('/wars'),
    'battles.list ids': () => someIds('/battles'),
    'treaties.list ids': () => someIds('/treaties'),
    'conflicts.list ids': () => someIds('/global-conflicts'),
    'eras.list ids': () => someIds('/eras'),
    'news.list ids': () => someIds('/news'),
    'members.list ids': () => someIds('/nations'),
    'treaties.list type': async () => broad(await commonestKind(api)),
    'nations.list search': () => piecesOfNames(api, '/nations', 'nation_name'),
    'alliances.list search': () => piecesOfNames(api, '/alliances', 'name'),
    // Not as a narrow value: each board has attributes of its own.
    board: () => broad('nations', 'alliances'),
    attribute: async () => {
      const { data } = await api.read<{
        data: { attributes: { nation: { key: string; ranked?: boolean }[] } }
      }>('/game')
      return broad(...data.attributes.nation.filter(({ ranked }) => ranked).map(({ key }) => key))
    },
    min_score: () => scores(0.7, 0.001),
    max_score: () => scores(0.3, 0.999),
    war_id: async () => [narrow(await idOfHalf('/wars'))],
    follows_war_id: async () => [narrow(await idOfHalf('/wars'))],
    conflict_id: async () => {
      const { data } = await page<{ id: string; wars: { total: number } }>('/global-conflicts?limit=100')
      return broad(data.toSorted((one, other) => other.wars.total - one.wars.total)[0]?.id ?? 'none')
    },
    type: () => [
      ...broad('war.declared', 'war.*,nation.*,alliance.*,battle.*'),
      narrow('alliance.disbanded'),
    ],
    'changes.list resource': () => [...broad('nation', 'nation,war,alliance'), narrow('conflict')],
    'changes.list after': async () => {
      // Its last page has the newest change.
      const newest = (await itemAt<{ seq: number }>(api, '/changes?', 1))?.seq ?? 0
      return broad(`${Math.floor(newest / 2)}`)
    },
    since: () => broad('2000-01-01T00:00:00Z', halfAt),
    until: () => broad('2100-01-01T00:00:00Z', halfAt),
    from: () => broad('2000-01-01', halfAt),
    to: () => broad('2100-01-01', halfAt),
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

/** The kind of the most treaties. */
async function commonestKind(api: Api): Promise<string> {
  const counts = new Map<string, number>()
  for (const { types } of await api.sample<{ types: string[] }>('/treaties', sampledPages))
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 'none'
}

/** The commonest substring of one to four letters, the commonest word, and one whole name. */
async function piecesOfNames(api: Api, path: string, field: string): Promise<Value[]> {
  const items = await api.sample<Record<string, string>>(path, sampledPages)
  const names = [...new Set(items.map(item => item[field]?.toLowerCase() ?? ''))]
  const commonest = (piecesOf: (name: string) => string[]): Value[] => {
    const counts = new Map<string, number>()
    for (const piece of names.flatMap(name => [...new Set(piecesOf(name))]))
      counts.set(piece, (counts.get(piece) ?? 0) + 1)
    const [piece] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? []
    return piece === undefined ? [] : broad(piece)
  }
  const substrings = (length: number) => (name: string) =>
    Array.from(name, (_, at) => name.slice(at, at + length)).filter(
      piece => piece.length === length && /^\p{L}+$/u.test(piece),
    )
  return [
    ...[2, 1, 3, 4].flatMap(length => commonest(substrings(length))),
    ...commonest(name => name.split(' ').filter(word => word.length > 4)),
    narrow(names.at(-1) ?? 'none'),
  ]
}
