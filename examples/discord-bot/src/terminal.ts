import { createInterface } from 'node:readline'
import { Chancery } from '@chancery/client'
import { commands } from './commands/index.ts'
import { eventHandler } from './events.ts'
import { follow } from './follow.ts'
import type { Reply } from './reply.ts'
import { rolesKeeper } from './roles/keeper.ts'
import { openStore } from './store.ts'
import { conversation, terminalGuild } from './terminal/conversation.ts'
import { readOptions, type TerminalOptions, usage } from './terminal/options.ts'
import { terminalRoles } from './terminal/roles.ts'
import { writeReply } from './terminal/write-reply.ts'
import { wordsOf } from './words.ts'

const columnsUsual = 80

const options = readOptions()
if (options) await talk(options)
else {
  process.stderr.write(usage)
  process.exitCode = 2
}

/** Answers line for line, until the input ends. */
async function talk({ baseUrl, key, account, store: path, isFollowing }: TerminalOptions): Promise<void> {
  const isInteractive = process.stdin.isTTY === true
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const onError = (err: unknown) =>
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`)

  const client = new Chancery({ baseUrl, apiKey: key })
  const store = openStore(path)
  const roles = terminalRoles(say)
  const bot = { api: client, words: wordsOf(client), store, roles }
  const speak = conversation({ commands, bot, account, write, onError })
  const lines = createInterface({
    input: process.stdin,
    ...(isInteractive && { output: process.stdout }),
    prompt: '> ',
  })

  const keeper = rolesKeeper({ api: client, store, roles, onError })
  const ending = new AbortController()
  const following = isFollowing
    ? follow({ client, store, keeper, handle: handler(), signal: ending.signal }).catch(onError)
    : undefined

  if (isInteractive) {
    say('The commands of the bot, as on Discord. help shows them; Ctrl-D ends.')
    lines.prompt()
  }
  for await (const line of lines) {
    if (line.trim() !== '') {
      if (!isInteractive) say(`> ${line.trim()}`)
      say(`${await speak(line)}\n`)
    }
    if (isInteractive) lines.prompt()
  }
  ending.abort()
  keeper.close()
  await following
  store.close()

  /** What happens is told here, as in a channel. */
  function handler() {
    const newsChannels = () => [{ guild: terminalGuild, channel: terminalGuild }]
    const post = async (_channel: string, reply: Reply) => {
      say(`\n${write(reply)}\n`)
      if (isInteractive) lines.prompt(true)
    }
    return eventHandler({ store: { ...store, newsChannels }, keeper, post, onError })
  }
}

function write(reply: Reply): string {
  return writeReply(reply, {
    columns: process.stdout.columns ?? columnsUsual,
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR,
    now: new Date(),
  })
}
