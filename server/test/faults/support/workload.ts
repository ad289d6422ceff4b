import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { alliance, member, nation, war } from '../../ingest/facts.ts'
import type { Outcome } from '../../support/test-server.ts'
import {
  type Answer,
  type RunningServers,
  requestOperator,
  requestPublic,
  retryUntilAnswered,
} from './running-servers.ts'

/** What the game and its bots sent, and the responses that they received. */
export interface Acknowledged {
  /** By batch: its answer, and how often it was sent before that came. */
  batches: { outcome: Outcome; unknown: number }[]
  codes: { code: string; redeemed: number; unknown: number }[]
  /** Calls of one key that were let in. */
  calls: { pid: number; resetAt: number; remaining: number }[]
}

export interface Workload {
  acknowledged: Acknowledged
  /** What went wrong ends all of it; `stop` rejects with it. */
  isOver(): boolean
  /** Ends what is going on, each with an answer. */
  stop(): Promise<Acknowledged>
}

/** Calls a minute of the key that always asks. */
export const callLimit = 5

const batchEveryMs = 15
const codeEveryMs = 30
const callEveryMs = 60

/** Each batch founds a nation, brings it into an alliance, and lets it declare war on the one before it. */
function factsOf(batch: number) {
  const id = `n${batch}`
  return [
    ...(batch === 0 ? [alliance('a0')] : []),
    nation(id, { national_score: batch, player: `p${batch}` }),
    member(id, 'a0'),
    ...(batch === 0 ? [] : [war(`w${batch}`, id, `n${batch - 1}`)]),
  ]
}

const codeOf = ({ body }: Answer) => (JSON.parse(body) as { error?: { code: string } }).error?.code

/** Sends a batch until it is known to be applied. */
export async function sendBatch(servers: RunningServers, batch: number) {
  const { answer, unknown } = await retryUntilAnswered(() =>
    requestOperator(servers, '/facts', { facts: factsOf(batch) }, { 'idempotency-key': `b${batch}` }),
  )
  assert.equal(answer.status, 200, `batch ${batch}: ${answer.body}`)
  return { outcome: JSON.parse(answer.body) as Outcome, unknown }
}

/** Redeems a code by three bots at once, again and again until one of them knows what became of it. */
export async function redeem(servers: RunningServers, code: string) {
  let redeemed = 0
  let unknown = 0
  for (let isKnown = false; !isKnown; ) {
    const answers = await Promise.all([0, 1, 2].map(() => requestPublic(servers, `/discord/verify/${code}`)))
    for (const answer of answers) {
      if (!answer) unknown += 1
      else if (answer.status === 200) redeemed += 1
      else assert.equal(codeOf(answer), 'verification_code_used', answer.body)
    }
    isKnown = answers.some(answer => answer !== undefined)
    if (!isKnown) await sleep(20)
  }
  return { code, redeemed, unknown }
}

/** A game that tells and makes codes, bots that redeem them, and one that asks too much: all at once, until stopped. */
export function startWorkload(servers: RunningServers, key: string): Workload {
  const acknowledged: Acknowledged = { batches: [], codes: [], calls: [] }
  let isOver = false

  const repeat = async (everyMs: number, step: () => Promise<void>) => {
    while (!isOver) {
      await step()
      await sleep(everyMs)
    }
  }

  const telling = repeat(batchEveryMs, async () => {
    acknowledged.batches.push(await sendBatch(servers, acknowledged.batches.length))
  })

  const redeeming = repeat(codeEveryMs, async () => {
    if (acknowledged.batches.length === 0) return
    const nationId = `n${Math.floor(Math.random() * acknowledged.batches.length)}`
    const issued = await requestOperator(servers, '/codes', { nation_id: nationId })
    // A code whose response was lost cannot be checked.
    if (!issued || issued.status === 409) return
    assert.equal(issued.status, 201, issued.body)
    acknowledged.codes.push(await redeem(servers, (JSON.parse(issued.body) as { code: string }).code))
  })

  const asking = repeat(callEveryMs, async () => {
    const answer = await requestPublic(servers, '/game', key)
    if (!answer || answer.status === 429) return
    assert.equal(answer.status, 200, answer.body)
    acknowledged.calls.push({
      pid: answer.from.child.pid ?? 0,
      resetAt: Number(answer.headers.get('x-ratelimit-reset')),
      remaining: Number(answer.headers.get('x-ratelimit-remaining')),
    })
  })

  const all = Promise.all([telling, redeeming, asking])
  // stop() rejects with the error.
  all.catch(() => {
    isOver = true
  })
  return {
    acknowledged,
    isOver: () => isOver,
    async stop() {
      isOver = true
      await all
      return acknowledged
    },
  }
}
