import { Chancery } from '@chancery/client'
import { startBot } from './bot.ts'
import { readConfig } from './config.ts'
import { followEvents } from './events.ts'
import { createRoleUpdater } from './roles.ts'
import { openStore } from './store.ts'

const { discordToken, chanceryUrl, chanceryKey, storePath } = readConfig(process.env)
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort())

const api = new Chancery({ baseUrl: chanceryUrl, apiKey: chanceryKey })
const store = openStore(storePath)
const bot = await startBot({ token: discordToken, api, store, onError: console.error })
const updater = createRoleUpdater(bot, ending.signal)
// Whatever happened while the bot was down.
updater.updateAll()

await followEvents(bot, updater, ending.signal)

await bot.discord.destroy()
store.close()
