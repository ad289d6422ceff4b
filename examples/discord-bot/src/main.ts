import { Chancery, type ChanceryEvent } from '@chancery/client'
import { startBot } from './bot.ts'
import { readConfig } from './config.ts'
import { followEvents, handleEvent } from './events.ts'
import { createRoleUpdater } from './roles.ts'
import { openStore } from './store.ts'

const { discordToken: token, chanceryUrl: baseUrl, chanceryKey: apiKey, ...config } = readConfig(process.env)
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

const onError = (err: unknown) => console.error(err)
const client = new Chancery({ baseUrl, apiKey })
const store = openStore(config.storePath)
const bot = await startBot({ token, api: client, store, onError })
const updater = createRoleUpdater(bot, ending.signal)
const handle = (event: ChanceryEvent) => handleEvent(event, bot, updater)
// Whatever happened while the bot was down.
updater.updateAll()

await followEvents({ client, store, updater, handle, signal: ending.signal })

await bot.discord.destroy()
store.close()
