import { ChanceryError } from '@chancery/client'
import { inlineCode } from 'discord.js'

/** Its message is for the user. */
export class UserError extends Error {}

const unavailable = 'The game’s API is unavailable at the moment. Please try again in a few minutes.'

const messages: Record<string, string> = {
  not_found: 'There is nothing by that id. Lists show the ids.',
  verification_code_unknown:
    'This code does not work here. Check its ten characters; if you made it for a chat account, use it from that account.',
  verification_code_expired: 'This code is older than ten minutes. Please make a new one in the game.',
  verification_code_used: 'This code was used before. Please make a new one in the game.',
  network_error: unavailable,
  timeout: unavailable,
  unexpected_response: unavailable,
  unavailable,
}

/** What the user reads; undefined for an error of the bot itself. */
export function messageOf(err: unknown): string | undefined {
  if (err instanceof UserError) return err.message
  if (!(err instanceof ChanceryError)) return undefined
  if (err.code === 'rate_limited')
    return `This bot has used up its requests to the game. Please try again in ${err.retryAfter ?? 60} seconds.`
  const report = err.requestId === undefined ? '' : ` If it persists, report ${inlineCode(err.requestId)}.`
  return messages[err.code] ?? `The game’s API failed. Please try again later.${report}`
}
