import { ChanceryError } from '@chancery/client'
import { type Bot, type Command, type CommandInput, type Reply, sentence } from './command.ts'
import { code } from './text.ts'

export interface RespondOptions {
  /** Default: 10 seconds. */
  timeoutMs?: number
  /** Receives errors of the bot itself. */
  onError?: (err: unknown) => void
}

/** Executes a command. Always resolves with a reply: a sentence for the user if there was an error. */
export async function respond(
  command: Command,
  input: CommandInput,
  bot: Bot,
  { timeoutMs = 10_000, onError }: RespondOptions = {},
): Promise<Reply> {
  const timeout = Promise.withResolvers<Reply>()
  const timer = setTimeout(() => timeout.resolve(sentence(slow)), timeoutMs)
  const running = command.execute(input, bot).catch(err => {
    if (!(err instanceof ChanceryError)) onError?.(err)
    return sentence(errorSentence(err))
  })
  try {
    return await Promise.race([running, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

const slow = 'The game’s API is slow at the moment. Please try again in a minute.'
const unavailable = 'The game’s API is unavailable at the moment. Please try again in a few minutes.'

const sentences: Record<string, string> = {
  not_found: 'There is nothing by that id. Lists show the ids.',
  verification_code_unknown:
    'This code does not work here. Check its ten characters; if you made it for a chat account, use it from that account.',
  verification_code_expired: 'This code is older than ten minutes. Please make a new one in the game.',
  verification_code_used: 'This code was used before. Please make a new one in the game.',
  network_error: unavailable,
  timeout: unavailable,
  unexpected_answer: unavailable,
  unavailable,
}

function errorSentence(err: unknown): string {
  if (!(err instanceof ChanceryError)) return 'Something went wrong in this bot. Please try something else.'
  if (err.code === 'rate_limited')
    return `This bot has used up its requests to the game. Please try again in ${err.retryAfter ?? 60} seconds.`
  const report = err.requestId === undefined ? '' : ` If it persists, report ${code(err.requestId)}.`
  return sentences[err.code] ?? `The game’s API failed. Please try again later.${report}`
}
