import type { Exchange } from '../exchange.ts'
import { dig, isRecord, members } from '../json.ts'
import { type Api, itemsOf, type Operation, type Parameter } from './document.ts'

/** Values of the server's world, from its lists. */
export interface KnownValues {
  /** Ids for a place in a path. */
  inPath(operation: Operation): string[]
  /** Values for a parameter. */
  forParameter(operation: Operation, parameter: Parameter): string[]
  /** Values of a member with this name, in any response. */
  named(name: string): string[]
}

const pageNumbers = [1, 2, 3]
const keptMax = 400

/** Reads the first pages of every list without an id; and of each list below an item, for a few items. */
export async function learnValues(
  api: Api,
  read: (target: string) => Promise<Exchange>,
): Promise<KnownValues> {
  const byName = new Map<string, Set<string>>()
  const idsByPath = new Map<string, Set<string>>()
  const wordsByPath = new Map<string, Set<string>>()
  const addValue = (into: Map<string, Set<string>>, name: string, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return
    const kept = into.get(name) ?? new Set()
    into.set(name, kept)
    if (kept.size < keptMax) kept.add(String(value))
  }
  const learn = (path: string, json: unknown) => {
    const data = dig(json, 'data')
    for (const item of Array.isArray(data) ? data : []) {
      if (!isRecord(item)) continue
      addValue(idsByPath, path, item.id)
      for (const [name, value] of Object.entries(item)) addValue(wordsByPath, `${path} ${name}`, value)
      for (const [name, value] of members(item)) {
        addValue(byName, name, value)
        if (Array.isArray(value)) for (const each of value) addValue(byName, name.replace(/s$/, ''), each)
      }
    }
  }
  const lists = api.operations.filter(
    operation =>
      operation.method === 'GET' && (operation.roles || !operation.needsKey) && itemsOf(api, operation),
  )
  for (const { path, parameters } of lists.filter(({ path }) => !path.includes('{'))) {
    const isPaged = parameters.some(({ name }) => name === 'page')
    const pages = isPaged ? pageNumbers.map(page => `${path}?limit=100&page=${page}`) : [path]
    for (const target of pages) learn(path, (await read(target)).json)
  }
  for (const { path } of lists.filter(({ path }) => path.includes('{'))) {
    const ids = [...(idsByPath.get(collectionOf(path)) ?? [])].slice(0, 5)
    for (const id of ids) learn(path, (await read(path.replace(/\{\w+\}/, id))).json)
  }
  const listed = (values: Set<string> | undefined) => [...(values ?? [])]
  return {
    inPath: ({ path }) => listed(idsByPath.get(collectionOf(path))),
    forParameter({ path }, { name }) {
      const own = name === 'ids' ? idsByPath.get(path) : wordsByPath.get(`${path} ${name}`)
      if (own) return listed(own)
      if (name === 'after' || name === 'Last-Event-ID') return listed(byName.get('seq'))
      if (name === 'since' || name === 'until') return listed(byName.get('occurred_at'))
      return listed(byName.get(name))
    },
    named: name => listed(byName.get(name)),
  }
}

/** `/wars/{id}/battles` belongs to `/wars`. */
const collectionOf = (path: string) => path.slice(0, Math.max(0, path.indexOf('/{')))
