import { parseArgs } from 'node:util'

export const usage = `usage: npm run bot:terminal -- --base-url URL [--key KEY] [--account NAME] [--store FILE] [--follow]

The commands of the bot, one a line on standard input. Type help to see them.

  --base-url URL   the game's API, such as http://127.0.0.1:8080
  --key KEY        a key of the developer settings: more calls a minute
  --account NAME   the chat account that speaks; codes may be bound to it (default: terminal)
  --store FILE     keeps links and rules (default: only while it runs)
  --follow         tells of wars and launches as they happen, and takes roles back
`

export interface TerminalOptions {
  baseUrl: string
  key: string | undefined
  account: string
  store: string
  isFollowing: boolean
}

/** Undefined where the usage is wrong. */
export function readOptions(): TerminalOptions | undefined {
  try {
    const { values } = parseArgs({
      options: {
        'base-url': { type: 'string' },
        key: { type: 'string' },
        account: { type: 'string', default: 'terminal' },
        store: { type: 'string', default: ':memory:' },
        follow: { type: 'boolean', default: false },
      },
    })
    const { 'base-url': baseUrl, key, account, store, follow: isFollowing } = values
    return baseUrl === undefined || !URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)
      ? undefined
      : { baseUrl, key, account, store, isFollowing }
  } catch {
    return undefined
  }
}
