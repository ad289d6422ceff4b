import { answer } from '../answer.ts'
import type { Bot, Command } from '../command.ts'
import type { Reply } from '../reply.ts'
import { readCommand, usage } from './command-line.ts'
import { padTo } from './width.ts'

/** The one guild of a terminal. */
export const terminalGuild = 'terminal'

export interface ConversationOptions {
  commands: readonly Command[]
  bot: Bot
  account: string
  write(reply: Reply): string
  onError?: (err: unknown) => void
}

/** A conversation of one user in a terminal: a line in, the text of the reply out. */
export function conversation({ commands, bot, account, write, onError }: ConversationOptions) {
  let last: { command: Command; reply: Reply } | undefined

  return async (line: string): Promise<string> => {
    const typed = line.trim()
    if (typed === 'help') return help(commands)
    const turned = pageOf(typed, last?.reply)
    if (typeof turned === 'string') return turned
    if (turned !== undefined && last?.reply.pages) return ask(last.command, last.reply.pages.again, turned)
    const read = readCommand(typed, commands)
    if ('problem' in read) return read.problem
    return ask(read.command, read.values, 1)
  }

  async function ask(command: Command, values: Record<string, string>, page: number): Promise<string> {
    const reply = await answer(command, { values, page, account, guild: terminalGuild }, bot, {
      ...(onError && { onError }),
    })
    if (reply.pages) last = { command, reply }
    return write(reply)
  }
}

/** The page that is asked for, or why there is none; undefined where something else was typed. */
function pageOf(typed: string, reply: Reply | undefined): number | string | undefined {
  const [, word, digits] = /^(?:(next|back)|page (\d{1,15}))$/.exec(typed) ?? []
  if (word === undefined && digits === undefined) return undefined
  if (!reply?.pages) return 'There is nothing to turn the pages of.'
  const { page, pages } = reply.pages
  const wanted = digits === undefined ? page + (word === 'next' ? 1 : -1) : Number(digits)
  if (wanted < 1 || wanted > pages) return `There are ${pages} pages, and this is page ${page}.`
  return wanted
}

function help(commands: readonly Command[]): string {
  const rows = [
    ...commands.map(command => [usage(command), command.description] as const),
    ['next, back, page N', 'Turns the pages of the last reply'] as const,
  ]
  const width = Math.max(...rows.map(([left]) => left.length)) + 2
  return rows.map(([left, right]) => padTo(left, width) + right).join('\n')
}
