import { type Operation, operations, type Parameter } from '@chancery/contract'
import type { Asker } from './asking.ts'
import type { Value, ValuesOf } from './values.ts'

/**
 * What is promised of a question. `flat`: its middle and last page cost what its first one costs, and what they cost in a small world;
 * `one`: likewise, of a single thing. `bounded`: answered within bounds, whatever it selects.
 */
export type Promised = 'flat' | 'one' | 'bounded'

export interface Question {
  operation: string
  /** For the table: the filters with what was asked of them, where it is short. */
  name: string
  /** Of a list to be followed by limit and page; of a single thing with a place for its id. */
  path: string
  promised: Promised
  /** How many filters. */
  filters: number
  /** Its place among the questions of its operation: the same question has the same place in every world, whatever its values. */
  order: number
}

const isShown = (text: string) => text.length <= 36

/** Every list with each of its filters and every combination of them, from the contract; and every single thing by its id. */
export async function questionsOf(asker: Asker, valuesOf: ValuesOf): Promise<Question[]> {
  const questions: Question[] = []
  for (const operation of Object.values(operations) as Operation[]) {
    if (operation.cache === 'stream' || operation.cache === 'private' || operation.scope !== 'none') continue
    if (operation.returns.isList) questions.push(...(await listQuestions(operation, asker, valuesOf)))
    else if (operation.path.endsWith('/{id}'))
      questions.push({
        operation: operation.id,
        name: 'by id',
        path: operation.path,
        promised: 'one',
        filters: 0,
        order: 0,
      })
  }
  return questions
}

interface Filter {
  name: string
  values: Value[]
}

async function listQuestions(operation: Operation, asker: Asker, valuesOf: ValuesOf): Promise<Question[]> {
  const path = await pathOf(operation, asker)
  const filters: Filter[] = []
  const entries = Object.entries(operation.parameters as Record<string, Parameter>)
  for (const [name, parameter] of entries) {
    if (parameter.in !== 'query' || name === 'page' || name === 'limit') continue
    filters.push({ name, values: await valuesOf(operation.id, name, parameter) })
  }
  const chosen: [string, Value][][] = [
    [],
    ...filters.flatMap(({ name, values }) => values.map((value): [string, Value][] => [[name, value]])),
    ...combinationsOf(filters),
  ]
  return chosen.map((pairs, order) => ({
    order,
    operation: operation.id,
    name: pairs.map(([name, { text }]) => (isShown(text) ? `${name}=${text}` : name)).join(' ') || 'all',
    path: `${path}?${pairs.map(([name, { text }]) => `${name}=${encodeURIComponent(text)}&`).join('')}`,
    promised: isFlat(operation, pairs) ? 'flat' : 'bounded',
    filters: pairs.length,
  }))
}

/** Two filters and more: all of them broad, which is what costs most; and of two, each of them narrow once. */
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

/** A list below one thing is asked of the largest. */
async function pathOf({ path }: Operation, asker: Asker): Promise<string> {
  if (!path.includes('{id}')) return path
  const [parent = ''] = path.split('/{id}')
  type Parent = { id: string; member_count?: number; battles_count?: number }
  const { data } = await asker.read<{ data: Parent[] }>(`${parent}?limit=100`)
  const sizeOf = ({ member_count, battles_count }: Parent) => member_count ?? battles_count ?? 0
  const largest = data.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0]
  return path.replace('{id}', largest?.id ?? 'none')
}
