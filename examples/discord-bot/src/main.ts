import { once } from 'node:events'
import { Chancery } from '@chancery/client'
import { commands } from './commands/index.ts'
import { readConfig } from './config.ts'
import { connectDiscord } from './discord/connect.ts'
import { eventHandler } from './events.ts'
import { follow } from './follow.ts'
import { rolesKeeper } from './roles/keeper.ts'
import { openStore } from './store.ts'
import { webhookReceiver } from './webhook.ts'
import { wordsOf } from './words.ts'

const config = readConfig(process.env)
const onError = (err: unknown) => console.error(err)

const client = new Chancery({ baseUrl: config.chanceryUrl, apiKey: config.chanceryKey })
const store = openStore(config.storePath)
const discord = await connectDiscord({
  token: config.discordToken,
  commands,
  api: client,
  words: wordsOf(client),
  store,
  onError,
})
const keeper = rolesKeeper({ api: client, store, roles: discord.roles, onError })
const handle = eventHandler({ store, keeper, post: discord.post, onError })
// What happened while the bot was away shows in how things are now.
keeper.lookAtAll()

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())

if (config.webhook) {
  const { secrets, host, port } = config.webhook
  const receiver = webhookReceiver({ client, store, secrets, handle, onError })
  receiver.listen(port, host)
  if (!ending.signal.aborted) await once(ending.signal, 'abort')
  receiver.close()
} else {
  await follow({ client, store, keeper, handle, signal: ending.signal })
}

keeper.close()
await discord.close()
store.close()
