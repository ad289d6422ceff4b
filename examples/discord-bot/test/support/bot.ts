import { Chancery, type ChanceryOptions } from '@chancery/client'
import type { AnswerOptions } from '../../src/answer.ts'
import type { Bot } from '../../src/command.ts'
import { commands } from '../../src/commands/index.ts'
import { openStore } from '../../src/store.ts'
import { conversation } from '../../src/terminal/conversation.ts'
import { terminalRoles } from '../../src/terminal/roles.ts'
import { writeReply } from '../../src/terminal/write-reply.ts'
import { wordsOf } from '../../src/words.ts'

/** A bot of a test: in a terminal without colours, forgetful. */
export function testBot(options: ChanceryOptions, { account = 'user-1' } = {}) {
  const client = new Chancery(options)
  const store = openStore(':memory:')
  const roles = terminalRoles(() => {})
  const bot: Bot = { api: client, words: wordsOf(client), store, roles }
  const errors: unknown[] = []
  const onError: AnswerOptions['onError'] = err => errors.push(err)
  const speak = conversation({
    commands,
    bot,
    account,
    write: reply => writeReply(reply, { columns: 80, hasColor: false, now: new Date() }),
    onError,
  })
  return { client, store, roles, bot, speak, errors }
}
