import type { Rule } from '../store.ts'
import { roleChanges, rolesDue, type Standing } from './decide.ts'

/** The roles of a chat, one guild at a time. */
export interface Roles {
  /** The roles that an account has in a guild; undefined where it is no member. */
  held(guild: string, account: string): Promise<string[] | undefined>
  /** Both throw `RoleRefused` where the chat does not let the bot. */
  give(guild: string, account: string, role: string): Promise<void>
  take(guild: string, account: string, role: string): Promise<void>
}

/** The chat does not let the bot give or take a role: it is gone, or stands above the bot's own. */
export class RoleRefused extends Error {}

export interface Settled {
  given: string[]
  taken: string[]
  refused: string[]
}

/** Gives and takes what is due by the rules. Null stands for somebody who holds no nation. */
export async function settle(
  roles: Roles,
  { guild, account }: { guild: string; account: string },
  standing: Standing | null,
  rules: Rule[],
): Promise<Settled> {
  const settled: Settled = { given: [], taken: [], refused: [] }
  const held = await roles.held(guild, account)
  if (held === undefined) return settled
  const { give, take } = roleChanges(held, rolesDue(standing, rules), rules)
  for (const role of give) await change(role, settled.given, () => roles.give(guild, account, role))
  for (const role of take) await change(role, settled.taken, () => roles.take(guild, account, role))
  return settled

  async function change(role: string, done: string[], act: () => Promise<void>) {
    try {
      await act()
      done.push(role)
    } catch (err) {
      // One role that cannot be given must not keep the others back.
      if (!(err instanceof RoleRefused)) throw err
      settled.refused.push(role)
    }
  }
}
