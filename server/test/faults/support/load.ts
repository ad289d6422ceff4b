import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { nation, war } from '../../ingest/facts.ts'
import type { ServeProcess } from '../../support/serve-process.ts'
import type { Outcome } from '../../support/test-server.ts'
import { type Asked, ask, type Kind } from './ask.ts'
import { GrowingNumber } from './model.ts'

const nationCount = 12

/** A code, how often it was redeemed, and how often the response was lost. */
export interface TriedCode {
  code: string
  redeemed: number
  unknown: number
}

export interface Acknowledged {
  batches: Outcome[]
  codes: TriedCode[]
}

/** Everybody who uses the service at once, until stopped. */
export interface Load {
  asked: readonly Asked[]
  /** Throws if any response was wrong. */
  assertRight(): void
  /** Ends it, each with a definite answer. Rejects if any response was wrong. */
  stop(): Promise<Acknowledged>
}

/** A remembered body is at most so old when the pulse is gone. */
const readableAfterMs = 1_000
const pauseMs = 15

export const firstFacts = () => [
  ...Array.from({ length: nationCount }, (_, index) =>
    nation(`n${index}`, { player: `p${index}`, city_count: 0 }),
  ),
]

export function startLoad(served: ServeProcess, key: string): Load {
  const asked: Asked[] = []
  const acknowledged: Acknowledged = { batches: [], codes: [] }
  const turn = new GrowingNumber(readableAfterMs)
  let isOver = false

  async function note(kind: Kind, url: string, init?: RequestInit): Promise<Asked> {
    const answer = await ask(kind, url, init)
    asked.push(answer)
    if (answer.status === 503) assert.equal(answer.retryAfter, '1', `${kind}: ${answer.body}`)
    else assert.ok(answer.status > 0 && answer.status < 500, `${kind}: ${answer.status} ${answer.body}`)
    return answer
  }
  const readPublic = (kind: Kind, path: string, headers: Record<string, string> = {}) =>
    note(kind, `${served.url}/api/v1${path}`, { headers })
  const operate = (kind: Kind, path: string, body: unknown, headers: Record<string, string> = {}) =>
    note(kind, served.operatorUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${served.operatorToken}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })

  async function repeat(step: () => Promise<void>): Promise<void> {
    while (!isOver) {
      await step()
      await sleep(pauseMs)
    }
  }

  /** Reads, and holds the number that it finds to what the game has acknowledged. */
  const reader = (kind: Kind, path: string, numberIn: (body: never) => number, headers = {}) =>
    repeat(async () => {
      const answer = await readPublic(kind, path, headers)
      if (answer.status === 503) return
      assert.equal(answer.status, 200, `${path}: ${answer.body}`)
      turn.assertReadable(numberIn(JSON.parse(answer.body) as never), {
        askedAt: answer.startedAt,
        answeredAt: answer.startedAt + answer.tookMs,
      })
    })
  type One = { data: { city_count: number } }
  type Many = { pagination: { total: number } }

  const searching = repeat(async () => {
    const answer = await readPublic(
      'search',
      `/nations?search=nation&page=1&limit=${(asked.length % 50) + 1}`,
    )
    if (answer.status === 503) return
    assert.equal((JSON.parse(answer.body) as Many).pagination.total, nationCount)
  })

  /** A batch is sent until it is known to be applied, and the next one only then. */
  const telling = repeat(async () => {
    const number = turn.latest + 1
    const know = turn.ingest(number)
    const facts = [nation('n1', { city_count: number }), war(`w${number}`, 'n1', 'n2')]
    for (;;) {
      const answer = await operate('batch', '/facts', { facts }, { 'idempotency-key': `b${number}` })
      if (answer.status !== 503) {
        assert.equal(answer.status, 200, answer.body)
        acknowledged.batches.push(JSON.parse(answer.body) as Outcome)
        return know()
      }
      await sleep(pauseMs)
    }
  })

  /** Two bots try each code at once, again and again until one of them knows what became of it. */
  async function redeem(code: string): Promise<TriedCode> {
    const tried = { code, redeemed: 0, unknown: 0 }
    for (;;) {
      const answers = await Promise.all([1, 2].map(() => readPublic('redemption', `/discord/verify/${code}`)))
      for (const { status, body } of answers) {
        if (status === 200) tried.redeemed += 1
        else if (status === 503) tried.unknown += 1
        else assert.match(body, /"verification_code_used"/)
      }
      if (answers.some(({ status }) => status !== 503)) return tried
      await sleep(pauseMs)
    }
  }
  let issued = 0
  const redeeming = repeat(async () => {
    issued += 1
    const answer = await operate('code', '/codes', { nation_id: `n${issued % nationCount}` })
    // Codes whose response was lost stay valid: a nation may have too many of them.
    if (answer.status === 503 || answer.status === 409) return
    assert.equal(answer.status, 201, answer.body)
    acknowledged.codes.push(await redeem((JSON.parse(answer.body) as { code: string }).code))
  })

  const all = Promise.all([
    reader('hot read', '/nations/n1', (body: One) => body.data.city_count),
    reader('read', '/wars?status=active&nation_id=n1', (body: Many) => body.pagination.total),
    reader('keyed read', '/me/nation', (body: One) => body.data.city_count, {
      authorization: `Bearer ${key}`,
    }),
    searching,
    telling,
    redeeming,
  ])
  let wrong: { error: unknown } | undefined
  all.catch(error => {
    isOver = true
    wrong = { error }
  })
  return {
    asked,
    assertRight() {
      if (wrong) throw wrong.error
    },
    async stop() {
      isOver = true
      await all
      return acknowledged
    },
  }
}
