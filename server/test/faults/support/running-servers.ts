import { setTimeout as sleep } from 'node:timers/promises'
import type { ServeProcess } from '../../support/serve-process.ts'

/** The serving processes as their callers see them: some are up, some are just being killed. */
export interface RunningServers {
  up: ServeProcess[]
}

/** What came of a call; undefined where nobody knows: the connection ended, or a part was away. */
export interface Answer {
  status: number
  headers: Headers
  body: string
  /** Which process answered. */
  from: ServeProcess
}

/** No answer takes so long while all is well. */
const patienceMs = 10_000
const againMs = 20

const isUnknown = (status: number) => status === 503

async function ask(
  servers: RunningServers,
  from: ServeProcess | undefined,
  path: string,
  init: RequestInit & { isOperators?: boolean },
) {
  const served = from ?? servers.up[Math.floor(Math.random() * servers.up.length)]
  if (!served) return undefined
  const { isOperators = false, ...rest } = init
  const base = isOperators ? served.operatorUrl : `${served.url}/api/v1`
  try {
    const response = await fetch(base + path, { ...rest, signal: AbortSignal.timeout(patienceMs) })
    const body = await response.text()
    return isUnknown(response.status)
      ? undefined
      : { status: response.status, headers: response.headers, body, from: served }
  } catch {
    return undefined
  }
}

/** Asks one of the processes that are up, as anybody does. */
export const requestPublic = (
  servers: RunningServers,
  path: string,
  key?: string,
  from?: ServeProcess,
): Promise<Answer | undefined> =>
  ask(servers, from, path, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })

/** Asks one of them as the game does. */
export function requestOperator(
  servers: RunningServers,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer | undefined> {
  const token = servers.up[0]?.operatorToken ?? ''
  return ask(servers, undefined, path, {
    isOperators: true,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Asks again until somebody answers. Returns how often nobody did. */
export async function retryUntilAnswered(
  question: () => Promise<Answer | undefined>,
): Promise<{ answer: Answer; unknown: number }> {
  for (let unknown = 0; ; unknown += 1) {
    const answer = await question()
    if (answer) return { answer, unknown }
    await sleep(againMs)
  }
}
