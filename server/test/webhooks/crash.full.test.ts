import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'
import { alliance, battle, member, nation, war } from '../ingest/facts.ts'
import {
  makeServeDir,
  patientProgram,
  removeServeDir,
  type ServeProcess,
  serve,
} from '../support/serve-process.ts'
import type { TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { after, isTest, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { metricsOf } from './metrics-of.ts'
import { type AddedEndpoint, addHearing } from './owner.ts'
import { arrivedPairs, missingFrom, type Wants, wantedPairs, wholeLog } from './pairs.ts'
import { verified } from './verified.ts'

const inFlight = 8
const batchCount = 104
/** How much of what is told may wait to be delivered while more is told. */
const backlogMax = 4_000
const killAt = [2_500, 6_000]

const someNations = Array.from({ length: 100 }, (_, index) => `n${index * 7}`)
const endpoints: { path: string; filter: object; wants: Parameters<Wants['set']>[1] }[] = [
  { path: '/all', filter: {}, wants: () => true },
  { path: '/wars', filter: { types: ['war.*'] }, wants: ({ type }) => type === 'war.declared' },
  {
    path: '/founded-or-fought',
    filter: { types: ['nation.founded', 'battle.fought'] },
    wants: ({ type }) => type === 'nation.founded' || type === 'battle.fought',
  },
  {
    path: '/some-nations',
    filter: { nation_ids: someNations },
    wants: ({ nation_ids }) => nation_ids.some(id => someNations.includes(id)),
  },
  {
    path: '/an-alliance',
    filter: { alliance_ids: ['a1'] },
    wants: ({ alliance_ids }) => alliance_ids.includes('a1'),
  },
  {
    path: '/battles-of-an-alliance',
    filter: { types: ['battle.*'], alliance_ids: ['a2'] },
    wants: ({ type, alliance_ids }) => type === 'battle.fought' && alliance_ids.includes('a2'),
  },
]
const wants: Wants = new Map(endpoints.map(({ path, wants }) => [path, wants]))

let dir: string
let served: ServeProcess
let receiver: WebhookReceiver
const secrets = new Map<string, string>()

const start = () =>
  serve(
    dir,
    { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true', CHANCERY_WEBHOOKS_IN_FLIGHT: String(inFlight) },
    patientProgram,
  )

before(async () => {
  dir = makeServeDir()
  receiver = await startWebhookReceiver()
  served = await start()
  for (const { path, filter } of endpoints) {
    const added: AddedEndpoint = await addHearing({ operate }, receiver.url(path), filter)
    secrets.set(path, added.secret)
    receiver.answer(path, after(3))
  }
})
afterAll(async () => {
  served.child.kill('SIGTERM')
  await served.ended
  await receiver.close()
  await removeServeDir(dir)
})

const operate: TestServer['operate'] = (method, path, body, headers = {}) =>
  fetch(served.operatorUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${served.operatorToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Each batch founds ten nations, brings them into alliances, and lets each fight the one before it. */
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

/** Tells a batch until it is known to be applied, by whichever server lives. */
async function ingest(batch: number): Promise<void> {
  await until(
    async () => {
      const answer = await operate(
        'POST',
        '/facts',
        { facts: factsOf(batch) },
        {
          'idempotency-key': `batch-${batch}`,
        },
      ).catch(() => undefined)
      return answer?.status === 200
    },
    `batch ${batch} is applied`,
    120_000,
  )
}

const arrivedCount = () => receiver.received.length

test(`a server killed ${killAt.length} times during ten thousand deliveries loses none, and repeats only those in flight`, async () => {
  const telling = (async () => {
    for (let batch = 0; batch < batchCount; batch += 1) {
      await until(() => arrivedCount() > batch * 95 - backlogMax, 'the backlog is smaller', 240_000)
      await ingest(batch)
    }
  })()
  const kills: number[] = []
  for (const count of killAt) {
    await until(() => arrivedCount() > count, `${count} have arrived`, 240_000)
    kills.push(arrivedCount())
    served.child.kill('SIGKILL')
    await served.ended
    served = await start()
  }
  await telling

  const log = await wholeLog(served)
  const wanted = wantedPairs(log, wants)
  assert.ok(wanted.size >= 10_000, `${wanted.size} deliveries`)
  assert.ok(
    kills.every(count => count < wanted.size),
    'the kills are in the middle of it',
  )
  // What was under way is anybody's after its lease.
  await until(
    () => missingFrom(wanted, arrivedPairs(receiver, wants)).length === 0,
    'every pair arrives',
    240_000,
  )
  await until(
    async () => {
      const metrics = await metricsOf({ operate })
      return ['answering', 'slow', 'failing'].every(
        endpoints => metrics.get(`chancery_webhook_queue_depth{endpoints="${endpoints}"}`) === 0,
      )
    },
    'nothing waits',
    240_000,
  )

  const arrived = arrivedPairs(receiver, wants)
  assert.deepEqual(
    missingFrom(arrived.keys(), new Map([...wanted].map(pair => [pair, 1]))),
    [],
    'nobody wanted that',
  )
  const repeated = [...arrived].filter(([, count]) => count > 1)
  for (const path of wants.keys()) {
    const ofPath = repeated.filter(([pair]) => pair.startsWith(`${path} `))
    assert.ok(ofPath.length <= kills.length * inFlight, `${ofPath.length} came to ${path} more than once`)
    assert.ok(receiver.mostAtOnce(path) <= inFlight, `${receiver.mostAtOnce(path)} at once at ${path}`)
  }
  assert.ok(repeated.every(([, count]) => count <= 1 + kills.length))

  const bodies = new Map<string, string>()
  for (const message of receiver.received.filter(each => !isTest(each))) {
    const { data } = verified(secrets.get(message.path) ?? '', message)
    assert.deepEqual(data, log[data.seq - 1])
    const pair = `${message.path} ${message.id}`
    assert.equal(message.body, bodies.get(pair) ?? message.body, 'the same body again')
    bodies.set(pair, message.body)
  }
})
