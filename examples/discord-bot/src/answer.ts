import { ChanceryError } from '@chancery/client'
import type { Asked, Bot, Command } from './command.ts'
import { fit } from './fit.ts'
import { type Reply, sentence } from './reply.ts'
import { code, plain, type Text, text } from './text.ts'

/** People wait so long; then they hear that it takes longer. */
const patienceMs = 10_000

export interface AnswerOptions {
  patienceMs?: number
  /** Hears of what is no fault of the service or of the user. */
  onError?: (err: unknown) => void
}

/** What a user sees of a command: always a reply that fits, and a kind sentence where something is in the way. */
export async function answer(
  command: Command,
  asked: Asked,
  bot: Bot,
  options: AnswerOptions = {},
): Promise<Reply> {
  const late = Promise.withResolvers<Reply>()
  const timer = setTimeout(
    () => late.resolve(sentence(plain(slowSentence))),
    options.patienceMs ?? patienceMs,
  )
  const running = command.run(asked, bot).catch(err => {
    if (!(err instanceof ChanceryError)) options.onError?.(err)
    return sentence(kindSentence(err))
  })
  try {
    return fit(await Promise.race([running, late.promise]))
  } finally {
    clearTimeout(timer)
  }
}

const slowSentence = 'The game’s office takes its time. Please ask again in a minute.'
const awaySentence =
  'The game’s office does not answer at the moment. Nothing is lost: please try again in a few minutes.'

const sentences: Record<string, string> = {
  not_found: 'There is nothing by that id. Lists show the ids of what there is.',
  verification_code_unknown:
    'This code does not work here. Check its ten characters; and if you made it for a chat account, use it from that account.',
  verification_code_expired: 'This code is older than ten minutes. Please make a new one in the game.',
  verification_code_used: 'This code was used before. Please make a new one in the game.',
  network_error: awaySentence,
  timeout: awaySentence,
  unexpected_answer: awaySentence,
  unavailable: awaySentence,
}

/** Why there is no answer, and what to do: nothing that blames the user, and no word of machines but an id to report. */
function kindSentence(err: unknown): Text {
  if (!(err instanceof ChanceryError)) return plain('I stumbled over this one. Please try something else.')
  if (err.code === 'rate_limited')
    return text`I asked the game’s office too much this minute. Please try again in ${err.retryAfter ?? 60} seconds.`
  const known = sentences[err.code]
  if (known) return plain(known)
  const report = err.requestId === undefined ? '' : text` If it stays so, report ${code(err.requestId)}.`
  return text`The game’s office could not answer that. Please try again later.${report}`
}
