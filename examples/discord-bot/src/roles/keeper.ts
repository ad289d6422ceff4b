import { ChanceryError, type Nation } from '@chancery/client'
import type { Api } from '../api.ts'
import type { Link, Store } from '../store.ts'
import { type Roles, settle } from './settle.ts'

export interface KeeperOptions {
  /** Reads nations as they are now: a client that keeps no answers. */
  api: Pick<Api, 'nations'>
  store: Store
  roles: Roles
  onError(err: unknown): void
  /** Before what failed is tried again. */
  retryMs?: number
}

/** Keeps the roles of linked accounts to what the game says of their nations. */
export interface Keeper {
  /** Looks at these nations again, soon; what cannot be read now is read later. */
  look(nationIds: Iterable<string>): void
  /** At every nation that is linked. */
  lookAtAll(): void
  /** Resolves when nothing is left to look at. */
  idle(): Promise<void>
  close(): void
}

/** Ids in one call, at most. */
const idsMax = 100
const retryMsUsual = 30_000

export function rolesKeeper({ api, store, roles, onError, retryMs = retryMsUsual }: KeeperOptions): Keeper {
  const due = new Set<string>()
  const closing = new AbortController()
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    while (due.size > 0 && !closing.signal.aborted) {
      const ids = [...due].slice(0, idsMax)
      for (const id of ids) due.delete(id)
      try {
        await lookAt(ids)
      } catch (err) {
        onError(err)
        for (const id of ids) due.add(id)
        await pause(retryMs, closing.signal)
      }
    }
  }

  /** A list may leave a nation out for other reasons than that it is gone: only its own 404 says so. */
  async function findNation(id: string): Promise<Nation | undefined> {
    try {
      return await api.nations.get(id)
    } catch (err) {
      if (err instanceof ChanceryError && err.code === 'not_found') return undefined
      throw err
    }
  }

  async function lookAt(ids: string[]): Promise<void> {
    const linked = ids.filter(id => store.linksOfNation(id).length > 0)
    if (linked.length === 0) return
    const { data } = await api.nations.list({ ids: linked, limit: idsMax })
    const found = new Map(data.map(nation => [nation.id, nation]))
    for (const id of linked) {
      const nation = found.get(id) ?? (await findNation(id))
      for (const link of store.linksOfNation(id)) {
        const now: Link | null = nation
          ? {
              ...link,
              nationName: nation.nation_name,
              allianceId: nation.alliance?.alliance_id ?? null,
              rank: nation.alliance?.rank ?? null,
            }
          : null
        await settle(roles, link, now, store.rules(link.guild))
        if (now) store.update(now)
        else store.unlink(link.guild, link.account)
      }
    }
  }

  const look = (nationIds: Iterable<string>) => {
    for (const id of nationIds) due.add(id)
    working ??= work().finally(() => {
      working = undefined
      // Something may have come just as the work was done.
      if (due.size > 0 && !closing.signal.aborted) look([])
    })
  }

  return {
    look,
    lookAtAll: () => look(store.links().map(({ nationId }) => nationId)),
    idle: async () => {
      while (working) await working
    },
    close: () => closing.abort(),
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
