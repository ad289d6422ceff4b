import { Chancery, type ChanceryOptions } from '@chancery/client'
import { startBot } from '../../src/bot.ts'
import { openStore } from '../../src/store.ts'
import { fakeDiscord } from './discord.ts'
import { createUsers } from './users.ts'

export type TestBot = Awaited<ReturnType<typeof startTestBot>>

/** A bot in a guild of a fake Discord, with its data in memory and a client that caches nothing. */
export async function startTestBot(options: ChanceryOptions) {
  const discord = await fakeDiscord()
  const store = openStore(':memory:')
  const requested: string[] = []
  const errors: unknown[] = []
  const client = new Chancery({
    cacheSeconds: 0,
    retries: 0,
    ...options,
    fetch(input, init) {
      requested.push(decodeURIComponent(String(input)).replace(/^.*\/api\/public\/v1/, ''))
      return (options.fetch ?? fetch)(input, init)
    },
  })
  const bot = await startBot({
    token: 'token-of-a-test',
    api: client,
    store,
    onError: err => errors.push(err),
    rest: discord.rest,
  })
  return {
    ...createUsers(discord),
    bot,
    client,
    discord,
    store,
    errors,
    requested,
    async close() {
      await bot.discord.destroy()
      await discord.close()
    },
  }
}
