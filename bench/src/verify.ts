import type { Ask } from './ask.ts'
import type { Contestant } from './contestants/contestant.ts'
import { type Answer, exchange } from './exchange.ts'
import type { ContestantId, Work } from './work.ts'

/** How many different requests of a work are compared. */
const comparedMax = 50

/** These answer in words of their own: it is looked at whether they answer with the same nations. */
const inOwnWords: readonly ContestantId[] = ['platformatic', 'postgraphile']

/** Headers that differ from call to call, or from server to server. */
const varying = new Set(['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

/** Those that give the recorded answer give its headers, too. */
const givesHeaders: readonly ContestantId[] = ['node', 'fastify']

/**
 * Asks a contestant a part of what it will be asked, and compares with what Chancery answers. Rejects where they differ: what is not
 * the same is not to be compared.
 */
export async function verify(
  work: Work,
  { contestant, asks }: { contestant: Contestant; asks: readonly Ask[] },
  reference: (index: number) => Promise<Answer>,
): Promise<void> {
  const id = contestant.id as ContestantId
  const compared = contestant.replay ? 1 : comparedMax
  for (const [index, ask] of asks.slice(0, compared).entries()) {
    const answer = await exchange(contestant.url, ask)
    const expected = await reference(index)
    const fail = (what: string) => {
      throw new Error(
        `${contestant.title} at "${work.title}", ${ask.path}: ${what}: ${answer.body.toString().slice(0, 300)}`,
      )
    }
    if (answer.status !== expected.status) fail(`${answer.status} instead of ${expected.status}`)
    if (inOwnWords.includes(id)) {
      if (nationsIn(answer.body) !== nationsIn(expected.body)) fail('other nations')
    } else if (!answer.body.equals(expected.body)) fail('another body')
    if (givesHeaders.includes(id) && headersOf(answer) !== headersOf(expected)) fail('other headers')
  }
}

const headersOf = ({ headers }: Answer): string =>
  headers
    .filter(([name]) => !varying.has(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .sort()
    .join('\n')

/** The ids of nations in a body of whatever shape. */
const nationsIn = (body: Buffer): string => (body.toString().match(/"n\d+"/g) ?? []).join(' ')
