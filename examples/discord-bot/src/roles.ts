import { setTimeout as sleep } from 'node:timers/promises'
import { ChanceryError, type Nation, type Operations } from '@chancery/client'
import type { Link, Rule, Store } from './store.ts'

type Membership = Pick<Link, 'allianceId' | 'rank'>

/** The roles to give and to remove, so that a member has what the rules say. Null: without a nation. Roles without a rule stay. */
export function roleChanges(held: readonly string[], membership: Membership | null, rules: readonly Rule[]) {
  const applies = ({ allianceId, rank }: Rule) =>
    membership !== null &&
    (allianceId === null || allianceId === membership.allianceId) &&
    (rank === null || rank === membership.rank)
  const due = new Set(rules.filter(applies).map(({ role }) => role))
  const ruled = new Set(rules.map(({ role }) => role))
  return {
    give: [...due].filter(role => !held.includes(role)),
    remove: [...ruled].filter(role => held.includes(role) && !due.has(role)),
  }
}

/** The roles of guild members. */
export interface Roles {
  /** Undefined if the account is no member of the guild. */
  held(guild: string, account: string): Promise<string[] | undefined>
  /** Both throw RoleRefusedError if the bot may not. */
  give(guild: string, account: string, role: string): Promise<void>
  remove(guild: string, account: string, role: string): Promise<void>
}

/** The role is gone, or above the bot's own. */
export class RoleRefusedError extends Error {}

export interface RoleResult {
  given: string[]
  removed: string[]
  refused: string[]
}

export async function syncRoles(
  roles: Roles,
  { guild, account }: { guild: string; account: string },
  membership: Membership | null,
  rules: readonly Rule[],
): Promise<RoleResult> {
  const result: RoleResult = { given: [], removed: [], refused: [] }
  const held = await roles.held(guild, account)
  if (held === undefined) return result
  const { give, remove } = roleChanges(held, membership, rules)
  for (const [changed, done, change] of [
    [give, result.given, roles.give],
    [remove, result.removed, roles.remove],
  ] as const)
    for (const role of changed)
      try {
        await change(guild, account, role)
        done.push(role)
      } catch (err) {
        if (!(err instanceof RoleRefusedError)) throw err
        result.refused.push(role)
      }
  return result
}

export interface RoleUpdater {
  /** Reads these nations again soon, and updates their links and roles. Failed reads are retried. */
  update(nationIds: Iterable<string>): void
  updateAll(): void
  /** Resolves when nothing is left to update. */
  idle(): Promise<void>
  close(): void
}

const idsMax = 100

export function createRoleUpdater({
  api,
  store,
  roles,
  onError,
  retryMs = 30_000,
}: {
  api: Pick<Operations, 'nations'>
  store: Store
  roles: Roles
  onError(err: unknown): void
  retryMs?: number
}): RoleUpdater {
  const queue = new Set<string>()
  const closing = new AbortController()
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (queue.size > 0 && !closing.signal.aborted) {
      const ids = [...queue].slice(0, idsMax)
      for (const id of ids) queue.delete(id)
      try {
        await updateNow(ids)
      } catch (err) {
        onError(err)
        update(ids)
        await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  async function updateNow(ids: string[]): Promise<void> {
    const linked = ids.filter(id => store.linksOfNation(id).length > 0)
    if (linked.length === 0) return
    const { data } = await api.nations.list({ ids: linked, limit: idsMax })
    for (const id of linked) {
      // A list may omit a nation for other reasons: only 404 means that it is gone.
      const nation = data.find(of => of.id === id) ?? (await getNation(id))
      for (const link of store.linksOfNation(id)) {
        const { alliance_id: allianceId = null, rank = null } = nation?.alliance ?? {}
        const updated = nation && { ...link, nationName: nation.nation_name, allianceId, rank }
        await syncRoles(roles, link, updated ?? null, store.rules(link.guild))
        if (updated) store.update(updated)
        else store.unlink(link.guild, link.account)
      }
    }
  }

  const getNation = (id: string): Promise<Nation | undefined> =>
    api.nations.get(id).catch(err => {
      if (err instanceof ChanceryError && err.code === 'not_found') return undefined
      throw err
    })

  const update = (nationIds: Iterable<string>) => {
    for (const id of nationIds) queue.add(id)
    running ??= run().finally(() => {
      running = undefined
    })
  }

  return {
    update,
    updateAll: () => update(store.links().map(({ nationId }) => nationId)),
    idle: async () => {
      while (running) await running
    },
    close: () => closing.abort(),
  }
}
