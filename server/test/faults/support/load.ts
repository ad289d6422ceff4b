import assert from 'node:assert/strict'
import { nation, war } from '../../ingest/facts.ts'
import type { ServeProcess } from '../../support/serve-process.ts'
import { requestOperator, requestPublic, type TimedResponse } from './running-servers.ts'
import { type Acknowledged, issueAndRedeem, repeatSteps, sendBatch } from './workload.ts'

export const kinds = ['hot read', 'read', 'search', 'keyed read', 'batch', 'code', 'redemption'] as const
export type Kind = (typeof kinds)[number]

export interface LoadResponse extends TimedResponse {
  kind: Kind
}

export const isUp = ({ status }: TimedResponse): boolean => status > 0 && status < 500

/** Clients of every kind at once, until stopped. */
export interface Load {
  responses: readonly LoadResponse[]
  /** Throws if any response was wrong. */
  assertRight(): void
  /** Rejects if any response was wrong. */
  stop(): Promise<Acknowledged>
}

const nationCount = 12
const pauseMs = 15
/** The longest time for which a cached response is served after the last heartbeat. */
export const cachedMs = 1_000

export const firstFacts = () =>
  Array.from({ length: nationCount }, (_, index) =>
    nation(`n${index}`, { player: `p${index}`, city_count: 0 }),
  )

/** A number that only grows, and when each value was sent and acknowledged. */
class GrowingNumber {
  readonly #sent: { value: number; sentAt: number; acknowledgedAt: number }[] = []

  get latest(): number {
    return this.#sent.at(-1)?.value ?? 0
  }

  /** Records that a value is being sent. Returns the function to call when it is acknowledged. */
  send(value: number): () => void {
    const sent = { value, sentAt: performance.now(), acknowledgedAt: Number.POSITIVE_INFINITY }
    this.#sent.push(sent)
    return () => {
      sent.acknowledgedAt = performance.now()
    }
  }

  /** Fails if a response at this time cannot contain the value. */
  assertReadable(value: number, { startedAt, tookMs }: TimedResponse): void {
    const isPast = ({ acknowledgedAt }: { acknowledgedAt: number }) => acknowledgedAt + cachedMs <= startedAt
    const least = this.#sent.findLast(isPast)?.value ?? 0
    const most = this.#sent.findLast(({ sentAt }) => sentAt <= startedAt + tookMs)?.value ?? 0
    assert.ok(
      value >= least && value <= most,
      `read ${value}: it was ${least} more than ${cachedMs} ms before the request, and ${most} at the response`,
    )
  }
}

export function startLoad(server: ServeProcess, key: string): Load {
  const servers = { up: [server] }
  const responses: LoadResponse[] = []
  const acknowledged: Acknowledged = { batches: [], codes: [] }
  const number = new GrowingNumber()

  async function record(kind: Kind, request: Promise<TimedResponse>): Promise<TimedResponse> {
    const response = await request
    responses.push({ kind, ...response })
    const { status, headers, body } = response
    if (status === 503) assert.equal(headers.get('retry-after'), '1', `${kind}: ${body}`)
    else assert.ok(isUp(response), `${kind}: ${status} ${body}`)
    return response
  }
  const get = (kind: Kind) => (path: string, headers?: Record<string, string>) =>
    record(kind, requestPublic(servers, path, headers && { headers }))
  const post =
    (kind: Kind) =>
    (...request: [path: string, body: unknown, headers?: Record<string, string>]) =>
      record(kind, requestOperator(servers, ...request))

  /** Reads a path, and compares the number in the response with what was ingested. */
  const reader = (
    kind: Kind,
    path: string,
    numberIn: (body: never) => number,
    headers?: Record<string, string>,
  ) =>
    [
      pauseMs,
      async () => {
        const response = await get(kind)(path, headers)
        if (response.status === 503) return
        assert.equal(response.status, 200, `${path}: ${response.body}`)
        number.assertReadable(numberIn(JSON.parse(response.body) as never), response)
      },
    ] as [number, () => Promise<void>]
  type Item = { data: { city_count: number } }
  type Page = { pagination: { total: number } }
  const cityCount = (body: Item) => body.data.city_count

  let issued = 0
  const { assertRunning, stop } = repeatSteps([
    reader('hot read', '/nations/n1', cityCount),
    reader('read', '/wars?status=active&nation_id=n1', (body: Page) => body.pagination.total),
    reader('keyed read', '/me/nation', cityCount, { authorization: `Bearer ${key}` }),
    [
      pauseMs,
      async () => {
        const limit = (responses.length % 50) + 1
        const response = await get('search')(`/nations?search=nation&page=1&limit=${limit}`)
        if (response.status !== 503)
          assert.equal((JSON.parse(response.body) as Page).pagination.total, nationCount)
      },
    ],
    [
      pauseMs,
      async () => {
        const value = number.latest + 1
        const acknowledge = number.send(value)
        const facts = [nation('n1', { city_count: value }), war(`w${value}`, 'n1', 'n2')]
        acknowledged.batches.push(await sendBatch(post('batch'), `b${value}`, facts))
        acknowledge()
      },
    ],
    [
      pauseMs,
      async () => {
        issued += 1
        const nationId = `n${issued % nationCount}`
        const redeemed = await issueAndRedeem(post('code'), get('redemption'), nationId)
        if (redeemed) acknowledged.codes.push(redeemed)
      },
    ],
  ])
  return {
    responses,
    assertRight: assertRunning,
    async stop() {
      await stop()
      return acknowledged
    },
  }
}
