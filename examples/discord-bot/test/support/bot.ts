import { Chancery, type ChanceryOptions } from '@chancery/client'
import { commands } from '../../src/commands/index.ts'
import { createGameTerms } from '../../src/game-terms.ts'
import { respond } from '../../src/respond.ts'
import type { Roles } from '../../src/roles.ts'
import { openStore } from '../../src/store.ts'

export const guildId = 'guild-1'

/** Roles in memory. */
export function memoryRoles(): Roles {
  const held = new Map<string, Set<string>>()
  const of = (guild: string, account: string) => {
    const roles = held.get(`${guild} ${account}`) ?? new Set()
    held.set(`${guild} ${account}`, roles)
    return roles
  }
  return {
    held: async (guild, account) => [...of(guild, account)],
    give: async (guild, account, role) => void of(guild, account).add(role),
    remove: async (guild, account, role) => void of(guild, account).delete(role),
  }
}

/** A bot with its data in memory, whose commands are executed without Discord. */
export function testBot(options: ChanceryOptions, { account = 'user-1' } = {}) {
  const client = new Chancery(options)
  const store = openStore(':memory:')
  const roles = memoryRoles()
  const bot = { api: client, terms: createGameTerms(client), store, roles }
  const errors: unknown[] = []
  const execute = (name: string, given: Record<string, string> = {}, page = 1) => {
    const [commandName = '', subcommand] = name.split(' ')
    const command = commands.get(commandName)
    if (!command) throw new Error(`no command ${commandName}`)
    const input = { options: given, page, userId: account, guildId, ...(subcommand && { subcommand }) }
    return respond(command, input, bot, { onError: err => errors.push(err) })
  }
  return {
    client,
    store,
    roles,
    bot,
    errors,
    execute,
    /** The text that a user reads. */
    async run(name: string, given: Record<string, string> = {}, page = 1): Promise<string> {
      const { embeds, pages } = await execute(name, given, page)
      const shown = embeds.flatMap(({ data: { title, description, fields = [], footer } }) => [
        title ?? '',
        description ?? '',
        ...fields.map(({ name, value }) => `${name}: ${value}`),
        footer?.text ?? '',
      ])
      if (pages && pages.pages > 1) shown.push(`Page ${pages.page} of ${pages.pages}`)
      return unescaped(shown.join('\n'))
    },
  }
}

/** What Discord shows of markdown. */
export const unescaped = (markdown: string): string =>
  markdown
    .replace(/(?<!\\)[*`]/g, '')
    .replace(/\\(.)/g, '$1')
    .replaceAll(/[\u200b\u2068\u2069]/g, '')
