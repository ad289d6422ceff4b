import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { alliance, member, nation, war } from '../../ingest/facts.ts'
import type { Outcome } from '../../support/test-server.ts'
import { type Answer, askOperator, askPublic, type Doors, untilAnswered } from './doors.ts'

/** What the game and its bots did, and what they were told. */
export interface Told {
  /** By batch: its answer, and how often it was sent before that came. */
  batches: { outcome: Outcome; unknown: number }[]
  codes: { code: string; redeemed: number; unknown: number }[]
  /** Calls of one key that were let in. */
  calls: { pid: number; resetAt: number; remaining: number }[]
}

export interface Life {
  told: Told
  /** What went wrong ends all of it; `stop` rejects with it. */
  isOver(): boolean
  /** Ends what is going on, each with an answer. */
  stop(): Promise<Told>
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
export async function tell(doors: Doors, batch: number) {
  const { answer, unknown } = await untilAnswered(() =>
    askOperator(doors, '/facts', { facts: factsOf(batch) }, { 'idempotency-key': `b${batch}` }),
  )
  assert.equal(answer.status, 200, `batch ${batch}: ${answer.body}`)
  return { outcome: JSON.parse(answer.body) as Outcome, unknown }
}

/** Redeems a code by three bots at once, again and again until one of them knows what became of it. */
export async function redeem(doors: Doors, code: string) {
  let redeemed = 0
  let unknown = 0
  for (let isKnown = false; !isKnown; ) {
    const answers = await Promise.all([0, 1, 2].map(() => askPublic(doors, `/discord/verify/${code}`)))
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
export function startLife(doors: Doors, key: string): Life {
  const told: Told = { batches: [], codes: [], calls: [] }
  let isOver = false

  const repeat = async (everyMs: number, step: () => Promise<void>) => {
    while (!isOver) {
      await step()
      await sleep(everyMs)
    }
  }

  const telling = repeat(batchEveryMs, async () => {
    told.batches.push(await tell(doors, told.batches.length))
  })

  const redeeming = repeat(codeEveryMs, async () => {
    if (told.batches.length === 0) return
    const nationId = `n${Math.floor(Math.random() * told.batches.length)}`
    const issued = await askOperator(doors, '/codes', { nation_id: nationId })
    // Of a code that was made and not told, nobody will ever know.
    if (!issued || issued.status === 409) return
    assert.equal(issued.status, 201, issued.body)
    told.codes.push(await redeem(doors, (JSON.parse(issued.body) as { code: string }).code))
  })

  const asking = repeat(callEveryMs, async () => {
    const answer = await askPublic(doors, '/game', key)
    if (!answer || answer.status === 429) return
    assert.equal(answer.status, 200, answer.body)
    told.calls.push({
      pid: answer.from.child.pid ?? 0,
      resetAt: Number(answer.headers.get('x-ratelimit-reset')),
      remaining: Number(answer.headers.get('x-ratelimit-remaining')),
    })
  })

  const all = Promise.all([telling, redeeming, asking])
  // Whoever stops it is told why.
  all.catch(() => {
    isOver = true
  })
  return {
    told,
    isOver: () => isOver,
    async stop() {
      isOver = true
      await all
      return told
    },
  }
}
