import type { Roles } from '../roles/settle.ts'

/** Roles that are nothing but their names, in memory: to see who would get what. */
export function terminalRoles(say: (line: string) => void): Roles {
  const held = new Map<string, Set<string>>()
  const of = (guild: string, account: string) => {
    const key = `${guild} ${account}`
    const roles = held.get(key) ?? new Set()
    held.set(key, roles)
    return roles
  }
  return {
    held: async (guild, account) => [...of(guild, account)],
    async give(guild, account, role) {
      of(guild, account).add(role)
      say(`(${account} gets the role @${role})`)
    },
    async take(guild, account, role) {
      of(guild, account).delete(role)
      say(`(${account} loses the role @${role})`)
    },
  }
}
