import { type ListedResource, listedResources, primaryKeys } from '@chancery/contract'
import type { TestServer } from '../support/test-server.ts'

type Item = Record<string, unknown>

/** The list of each resource. */
export const listPaths: Record<ListedResource, string> = {
  alliance: '/alliances',
  nation: '/nations',
  alliance_member: '/members',
  treaty: '/treaties',
  era: '/eras',
  conflict: '/global-conflicts',
  war: '/wars',
  battle: '/battles',
  market_price: '/market/price',
  news_item: '/news',
}

/** Resources whose `rank` follows from the scores of all: a change of it is no change of the item. */
const ranked: readonly string[] = ['nation', 'alliance']

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
      const shown = ranked.includes(resource) ? rest : item
      found.set(`${resource} ${item[primaryKeys[resource]]}`, JSON.stringify(shown))
    }
  }
  for (const resource of listedResources) add(resource, await readList(server, listPaths[resource]))
  return found
}
