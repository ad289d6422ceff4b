import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { type Filter, isSelected, readEvents } from '../events/log-model.ts'
import { alliance, battle, member, nation, war } from '../ingest/facts.ts'
import {
  longTimeoutServer,
  makeServeDir,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import {
  isTest,
  respondAfter,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'
import { countArrivals, repeatedIn, type Subscriptions, untilAllArrive } from './arrivals.ts'
import { metricsOf } from './metrics-of.ts'
import { addActiveEndpoint } from './owner.ts'
import { verified } from './verified.ts'

const inFlight = 8
const batchCount = 104
/** How many deliveries may be queued while facts are ingested. */
const backlogMax = 4_000
const killAt = [2_500, 6_000]

const someNations = Array.from({ length: 100 }, (_, index) => `n${index * 7}`)
const filters: Record<string, Filter> = {
  '/all': {},
  '/wars': { type: ['war.*'] },
  '/founded-or-fought': { type: ['nation.founded', 'battle.fought'] },
  '/some-nations': { nation_id: someNations },
  '/an-alliance': { alliance_id: ['a1'] },
  '/battles-of-an-alliance': { type: ['battle.*'], alliance_id: ['a2'] },
}
const subscriptions: Subscriptions = new Map(
  Object.entries(filters).map(([path, filter]) => [path, event => isSelected(filter, event)]),
)

let dir: string
let served: ServeProcess
let receiver: WebhookReceiver
const secrets = new Map<string, string>()

const start = () =>
  serve(
    dir,
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) },
    longTimeoutServer,
  )

before(async () => {
  dir = makeServeDir()
  receiver = await startWebhookReceiver()
  served = await start()
  for (const [path, { type: types, nation_id: nation_ids, alliance_id: alliance_ids }] of Object.entries(
    filters,
  )) {
    const filter = { types, nation_ids, alliance_ids }
    secrets.set(path, (await addActiveEndpoint(served, receiver.url(path), filter)).secret)
    receiver.respondWith(path, respondAfter(3))
  }
})
afterAll(async () => {
  served.child.kill('SIGTERM')
  await served.ended
  await receiver.close()
  await removeServeDir(dir)
})

/** The facts of a batch: ten nations, each with an alliance, a war and a battle against the nation before it. */
const factsOf = (batch: number) =>
  Array.from({ length: 10 }, (_, index) => batch * 10 + index).flatMap(number => [
    ...(number === 0 ? ['a0', 'a1', 'a2'].map(id => alliance(id)) : []),
    nation(`n${number}`),
    member(`n${number}`, `a${number % 3}`),
    ...(number === 0
      ? []
      : [
          war(`w${number}`, `n${number}`, `n${number - 1}`),
          battle(`b${number}`, `w${number}`, `n${number}`, `n${number - 1}`),
        ]),
  ])

/** Sends a batch until a running server has applied it. */
const ingest = (batch: number) =>
  until(
    async () => {
      const request = served.operate(
        'POST',
        '/facts',
        { facts: factsOf(batch) },
        { 'idempotency-key': `batch-${batch}` },
      )
      return (await request.catch(() => undefined))?.status === 200
    },
    `batch ${batch} is applied`,
    120_000,
  )

test(`a server killed ${killAt.length} times during ten thousand deliveries loses none, and repeats only those in flight`, async () => {
  const { received } = receiver
  const ingesting = (async () => {
    for (let batch = 0; batch < batchCount; batch += 1) {
      await until(() => received.length > batch * 95 - backlogMax, 'the backlog is smaller', 240_000)
      await ingest(batch)
    }
  })()
  const kills: number[] = []
  for (const count of killAt) {
    await until(() => received.length > count, `${count} have arrived`, 240_000)
    kills.push(received.length)
    served.child.kill('SIGKILL')
    await served.ended
    served = await start()
  }
  await ingesting

  const log = await readEvents(served)
  await untilAllArrive(log, subscriptions, () => countArrivals(received, subscriptions))
  await until(
    async () => {
      const metrics = await metricsOf(served)
      return ['answering', 'slow', 'failing'].every(
        endpoints => metrics.get(`chancery_webhook_queue_depth{endpoints="${endpoints}"}`) === 0,
      )
    },
    'the queue is empty',
    240_000,
  )

  const arrived = countArrivals(received, subscriptions)
  assert.ok(arrived.size >= 10_000, `${arrived.size} deliveries`)
  assert.ok(
    kills.every(count => count < arrived.size),
    'the server is killed before the last delivery',
  )
  const repeated = repeatedIn(arrived)
  for (const path of subscriptions.keys()) {
    const atPath = repeated.filter(([key]) => key.startsWith(`${path} `))
    assert.ok(atPath.length <= kills.length * inFlight, `${atPath.length} were repeated at ${path}`)
    assert.ok(receiver.peakInFlight(path) <= inFlight, `${receiver.peakInFlight(path)} at once at ${path}`)
  }
  assert.ok(repeated.every(([, count]) => count <= 1 + kills.length))

  const bodies = new Map<string, string>()
  for (const message of received.filter(each => !isTest(each))) {
    const { data } = verified(secrets.get(message.path) ?? '', message)
    assert.deepEqual(data, log[data.seq - 1])
    const key = `${message.path} ${message.id}`
    assert.equal(message.body, bodies.get(key) ?? message.body, 'a repeated message has the same body')
    bodies.set(key, message.body)
  }
})
