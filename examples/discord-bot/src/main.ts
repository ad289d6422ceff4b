import { once } from 'node:events'
import { Chancery } from '@chancery/client'
import { commands } from './commands/index.ts'
import { readConfig } from './config.ts'
import { connectDiscord } from './discord.ts'
import { createEventHandler, followEvents } from './events.ts'
import { createGameTerms } from './game-terms.ts'
import { createRoleUpdater } from './roles.ts'
import { openStore } from './store.ts'
import { createWebhookServer } from './webhook.ts'

const { discordToken: token, chanceryUrl: baseUrl, chanceryKey: apiKey, ...config } = readConfig(process.env)
const onError = (err: unknown) => console.error(err)
const client = new Chancery({ baseUrl, apiKey })
const store = openStore(config.storePath)
const terms = createGameTerms(client)
const discord = await connectDiscord({ token, commands, api: client, terms, store, onError })
const updater = createRoleUpdater({ api: client, store, roles: discord.roles, onError })
const handle = createEventHandler({ store, updater, post: discord.post, onError })
// Whatever happened while the bot was down.
updater.updateAll()

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

if (config.webhook) {
  const { secrets, host, port } = config.webhook
  const server = createWebhookServer({ client, store, secrets, handle, onError }).listen(port, host)
  if (!ending.signal.aborted) await once(ending.signal, 'abort')
  server.close()
} else {
  await followEvents({ client, store, updater, handle, signal: ending.signal })
}

updater.close()
await discord.close()
store.close()
