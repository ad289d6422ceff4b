import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { alliance, member, nation, war } from '../../ingest/facts.ts'
import type { Fact, Outcome } from '../../support/test-server.ts'
import {
  isUnknown,
  type RunningServers,
  requestOperator,
  requestPublic,
  retryUntilKnown,
  type TimedResponse,
} from './running-servers.ts'

/** A batch with its result. `unknown`: how many responses were lost before. */
export interface AppliedBatch {
  key: string
  facts: Fact[]
  outcome: Outcome
  unknown: number
}

/** A verification code, how often it was redeemed, and how many responses were lost. */
export interface RedeemedCode {
  code: string
  redeemed: number
  unknown: number
}

/** The batches and codes whose responses the clients received. */
export interface Acknowledged {
  batches: AppliedBatch[]
  codes: RedeemedCode[]
}

/** Repeats each step until stopped. The first error stops all of them. */
export function repeatSteps(steps: [everyMs: number, step: () => Promise<void>][]) {
  let isOver = false
  let failure: { error: unknown } | undefined
  const all = Promise.all(
    steps.map(async ([everyMs, step]) => {
      while (!isOver) {
        await step()
        await sleep(everyMs)
      }
    }),
  )
  all.catch(error => {
    isOver = true
    failure = { error }
  })
  return {
    isOver: () => isOver,
    assertRunning() {
      if (failure) throw failure.error
    },
    /** Resolves when the last step has ended; rejects with the first error. */
    async stop(): Promise<void> {
      isOver = true
      await all
    },
  }
}

type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<TimedResponse>
type Get = (path: string) => Promise<TimedResponse>

/** Sends a batch until its result is known. */
export async function sendBatch(post: Post, key: string, facts: Fact[]): Promise<AppliedBatch> {
  const { response, unknown } = await retryUntilKnown(() =>
    post('/facts', { facts }, { 'idempotency-key': key }),
  )
  assert.equal(response.status, 200, `batch ${key}: ${response.body}`)
  return { key, facts, outcome: JSON.parse(response.body) as Outcome, unknown }
}

/** Redeems a code by three bots at once, until one of them knows the result. */
export async function redeem(get: Get, code: string): Promise<RedeemedCode> {
  const result = { code, redeemed: 0, unknown: 0 }
  await retryUntilKnown(async () => {
    const responses = await Promise.all([0, 1, 2].map(() => get(`/discord/verify/${code}`)))
    for (const response of responses) {
      if (isUnknown(response)) result.unknown += 1
      else if (response.status === 200) result.redeemed += 1
      else assert.match(response.body, /"verification_code_used"/)
    }
    return responses.find(response => !isUnknown(response)) ?? (responses[0] as TimedResponse)
  })
  return result
}

/** Issues a code for a nation, and redeems it. Undefined if the response was lost, or the nation has too many codes. */
export async function issueAndRedeem(
  post: Post,
  get: Get,
  nationId: string,
): Promise<RedeemedCode | undefined> {
  const issued = await post('/codes', { nation_id: nationId })
  // Codes whose response was lost stay valid, up to the limit of a nation.
  if (isUnknown(issued) || issued.status === 409) return undefined
  assert.equal(issued.status, 201, issued.body)
  return redeem(get, (JSON.parse(issued.body) as { code: string }).code)
}

/** The limit, per minute, of the key of a workload. */
export const keyLimit = 5

export interface Workload {
  acknowledged: Acknowledged
  /** The accepted requests of the key. */
  accepted: { pid: number; resetAt: number; remaining: number }[]
  isOver(): boolean
  stop(): Promise<void>
}

/** Each batch adds a nation, its membership, and its war on the nation before it. */
function factsOf(batch: number): Fact[] {
  const id = `n${batch}`
  return [
    ...(batch === 0 ? [alliance('a0')] : []),
    nation(id, { national_score: batch, player: `p${batch}` }),
    member(id, 'a0'),
    ...(batch === 0 ? [] : [war(`w${batch}`, id, `n${batch - 1}`)]),
  ]
}

/** Sends batches, issues and redeems codes, and exceeds the limit of a key, until stopped. */
export function startWorkload(servers: RunningServers, key: string): Workload {
  const acknowledged: Acknowledged = { batches: [], codes: [] }
  const { batches, codes } = acknowledged
  const accepted: Workload['accepted'] = []
  const post: Post = (...request) => requestOperator(servers, ...request)
  const get: Get = path => requestPublic(servers, path)
  const { isOver, stop } = repeatSteps([
    [15, async () => void batches.push(await sendBatch(post, `b${batches.length}`, factsOf(batches.length)))],
    [
      30,
      async () => {
        if (batches.length === 0) return
        const redeemed = await issueAndRedeem(post, get, `n${Math.floor(Math.random() * batches.length)}`)
        if (redeemed) codes.push(redeemed)
      },
    ],
    [
      60,
      async () => {
        const response = await requestPublic(servers, '/game', {
          headers: { authorization: `Bearer ${key}` },
        })
        if (isUnknown(response) || response.status === 429) return
        assert.equal(response.status, 200, response.body)
        accepted.push({
          pid: response.from?.child.pid ?? 0,
          resetAt: Number(response.headers.get('x-ratelimit-reset')),
          remaining: Number(response.headers.get('x-ratelimit-remaining')),
        })
      },
    ],
  ])
  return { acknowledged, accepted, isOver, stop }
}
