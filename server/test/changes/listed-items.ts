import { itemLists, type ListedResource, listedResources, rankScores } from '@chancery/contract'
import type { TestServer } from '../support/test-server.ts'

type Item = Record<string, unknown>

async function readList({ read }: Pick<TestServer, 'read'>, path: string): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page += 1) {
    const { data } = await read<{ data: Item[] }>(`${path}?limit=100&page=${page}`)
    items.push(...data)
    if (data.length < 100) return items
  }
}

/** Every item that the API lists, without ranks, as JSON by `resource id`. */
export async function readItems(server: Pick<TestServer, 'read'>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const add = (resource: ListedResource, items: Item[]) => {
    for (const item of items) {
      const { rank, ...rest } = item
      const shown = resource in rankScores ? rest : item
      found.set(`${resource} ${item[itemLists[resource].key]}`, JSON.stringify(shown))
    }
  }
  for (const resource of listedResources) add(resource, await readList(server, itemLists[resource].list.path))
  return found
}
