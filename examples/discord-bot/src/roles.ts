import { setTimeout as sleep } from 'node:timers/promises'
import { ChanceryError, type Nation } from '@chancery/client'
import { DiscordAPIError } from 'discord.js'
import type { Bot } from './command.ts'
import type { Link, Rule } from './store.ts'

type Membership = Pick<Link, 'allianceId' | 'rank'>

export const membershipOf = (alliance: Nation['alliance']): Membership => ({
  allianceId: alliance?.alliance_id ?? null,
  rank: alliance?.rank ?? null,
})

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

/** The role is gone or above the bot's own, or the member has left. */
const isRefusal = (err: unknown) => err instanceof DiscordAPIError && [403, 404].includes(err.status)

/** Changes the roles of a member as the rules say. Roles that the bot may not change are returned as refused. */
export async function syncRoles(
  { discord }: Pick<Bot, 'discord'>,
  { guild, account }: Pick<Link, 'guild' | 'account'>,
  membership: Membership | null,
  rules: readonly Rule[],
) {
  const refused: string[] = []
  const member = await discord.guilds.cache
    .get(guild)
    ?.members.fetch({ user: account, force: true })
    .catch(err => {
      if (!isRefusal(err)) throw err
    })
  if (!member) return { given: [], removed: [], refused }
  const { give, remove } = roleChanges([...member.roles.cache.keys()], membership, rules)
  // One by one: Discord rejects a list as a whole.
  for (const role of [...give, ...remove])
    try {
      if (give.includes(role)) await member.roles.add(role, 'Verified')
      else await member.roles.remove(role, 'No longer due')
    } catch (err) {
      if (!isRefusal(err)) throw err
      refused.push(role)
    }
  const isDone = (role: string) => !refused.includes(role)
  return { given: give.filter(isDone), removed: remove.filter(isDone), refused }
}

export type RoleUpdater = ReturnType<typeof createRoleUpdater>

const idsMax = 100
const retryMs = 30_000

/** Reads nations again and updates their links and roles, until the signal. Failed reads are retried. */
export function createRoleUpdater(bot: Bot, signal: AbortSignal) {
  const { api, store, onError } = bot
  const queue = new Set<string>()
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (queue.size > 0 && !signal.aborted) {
      const ids = [...queue].slice(0, idsMax)
      for (const id of ids) queue.delete(id)
      try {
        await updateNow(ids)
      } catch (err) {
        onError(err)
        for (const id of ids) queue.add(id)
        await sleep(retryMs, undefined, { signal }).catch(() => {})
      }
    }
    isRunning = false
  }

  async function updateNow(ids: string[]): Promise<void> {
    const { data } = await api.nations.list({ ids, limit: idsMax })
    for (const id of ids) {
      // A list may omit a nation for other reasons: only 404 means that it is gone.
      const nation = data.find(of => of.id === id) ?? (await api.nations.get(id).catch(orNotFound))
      for (const link of store.linksOfNation(id)) {
        const updated = nation && {
          ...link,
          nationName: nation.nation_name,
          ...membershipOf(nation.alliance),
        }
        await syncRoles(bot, link, updated ?? null, store.rules(link.guild))
        if (updated) store.update(updated)
        else store.unlink(link.guild, link.account)
      }
    }
  }

  const update = (nationIds: Iterable<string>): void => {
    for (const id of nationIds) if (store.linksOfNation(id).length > 0) queue.add(id)
    run()
  }
  return { update, updateAll: () => update(store.links().map(({ nationId }) => nationId)) }
}

const orNotFound = (err: unknown): undefined => {
  if (!(err instanceof ChanceryError && err.code === 'not_found')) throw err
}
