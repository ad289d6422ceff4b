import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bases, type Contract, contractFor } from '@chancery/contract'
import fc from 'fast-check'
import { seqOf } from '../ingest/answers.ts'
import { randomRuns, tier, whileBegunWithin } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { dataOf } from '../webhooks/verified.ts'
import { eachOf, hangUp, sendRequest, textOf } from './exchange.ts'
import { ingestWorld, startWorld, statusOf, type World } from './ingested-world.ts'
import { profiles } from './profiles.ts'
import { isForSome, type Request, requestsOf, withTimes } from './requests.ts'
import { alikeFor, factBatchesOf, type Secrets, secretsOf } from './secrets.ts'
import { type Viewer, viewers } from './viewers.ts'
import { batchCount, ids, type Script, scripts } from './world.ts'

/** A run is two servers, two worlds and some thousand requests: two to four seconds. */
const runs = randomRuns(3)
const begunWithinMs = 60_000
/** All of them, where many are drawn. */
const timeout = 1_200_000
/** A failure says which request; CHANCERY_TEST_SEED runs its games again. */
const caseSeed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
/** Requests for shared bodies by each viewer with a key; anonymous makes all of them, under both bases. */
const sharedPerViewer = 25
/** In the quick tier one request of so many whose response is everybody's; each run other ones. */
const sharedStep = tier === 'quick' ? 6 : 1

after(hangUp)

interface Case {
  contract: Contract
  script: Script
  one: Secrets
  other: Secrets
  /** To whom the two worlds are the same. The others may see a difference, and are not asked. */
  asked: Viewer[]
  seed: number
}

const cases: fc.Arbitrary<Case> = profiles.chain(profile => {
  const contract = contractFor(profile)
  const parts = fc.record({
    contract: fc.constant(contract),
    script: scripts(contract),
    one: secretsOf(contract),
    other: secretsOf(contract),
    asked: fc
      .array(fc.boolean(), { minLength: viewers.length, maxLength: viewers.length })
      .map(chosen => viewers.filter((viewer, index) => viewer.nation === undefined || chosen[index])),
    seed: fc.nat(),
  })
  // A case is a megabyte; its failure says what matters.
  return parts.map(parts => ({
    ...parts,
    [fc.toStringMethod]: () => `a world, asked by ${parts.asked.length}`,
  }))
})

test('two worlds that differ only in what a viewer may not read return the same bytes to that viewer', {
  timeout,
}, async () => {
  const isInTime = whileBegunWithin(begunWithinMs)
  const property = fc.asyncProperty(cases, async ({ contract, script, asked, seed, ...secrets }) => {
    if (!isInTime()) return
    const [one, other] = alikeFor(asked, secrets.one, secrets.other)
    const worlds = [await startWorld(contract), await startWorld(contract)] as const
    try {
      const [first, second] = worlds
      first.times = await ingestWorld(first.chancery, factBatchesOf(script, one))
      second.times = await ingestWorld(second.chancery, factBatchesOf(script, other))
      await compare(contract, asked, seed, first, second)
      const usedCodes = await compareIdentities(first, second)
      await compareWebhooks(first, second)
      await compareStreams(first, second)
      await addSecrets(requestsOfRun(contract, seed), first, secrets.other, usedCodes)
    } finally {
      await Promise.all(worlds.map(world => world.close()))
    }
  })
  // A run is slow, and its failure names the viewer and the request: the first one is enough.
  console.log(`games of the seed ${caseSeed}`)
  await fc.assert(property, {
    numRuns: runs,
    seed: caseSeed,
    endOnFailure: true,
  })
})

const requestsOfRun = (contract: Contract, seed: number) =>
  requestsOf(contract).filter(
    ({ operation }, index) => isForSome(operation) || index % sharedStep === seed % sharedStep,
  )

async function compare(contract: Contract, asked: Viewer[], seed: number, one: World, other: World) {
  const requests = requestsOfRun(contract, seed)
  const questions = asked.flatMap((viewer, index) => requestsFor(viewer, requests, seed + index))
  await eachOf(questions, async ({ viewer, request, base }) => {
    const answers = await Promise.all([one, other].map(world => answerOf(world, viewer, request, base, {})))
    const [first, second] = answers
    assert.ok(first && second)
    const question = `${viewer.name} asks ${base}${request.path}`
    assert.ok(first.status < 500, `${question}: ${first.status} ${first.text}`)
    assert.ok(
      second.text === first.text,
      `${question}:\n${first.text}\n\nand in the other world:\n${second.text}`,
    )
    // A body for everybody has one tag for everybody: that who has it already is told so is asked once.
    if (first.etag === undefined || viewer.player !== undefined || base !== bases.mirror) return
    const known = { 'if-none-match': first.etag }
    const again = await Promise.all([one, other].map(world => answerOf(world, viewer, request, base, known)))
    assert.deepEqual(
      again.map(({ status }) => status),
      request.operation.id === 'game.get' ? [304, again[1]?.status] : [304, 304],
      `${question} again`,
    )
  })
}

/** Codes differ from server to server; what they say of a nation must not. Returns the paths of the first server's, which are used now. */
async function compareIdentities(...worlds: [World, World]): Promise<string[]> {
  const usedCodes: string[] = []
  for (const id of ids.nation) {
    const answers = await Promise.all(
      worlds.map(async ({ chancery }, index) => {
        const path = `${bases.canonical}/discord/verify/${await chancery.makeCode(id)}`
        if (index === 0) usedCodes.push(path)
        const exchanges = [await sendRequest(chancery.url, path), await sendRequest(chancery.url, path)]
        return exchanges.map(textOf)
      }),
    )
    assert.deepEqual(answers[1], answers[0], `the identity of ${id}`)
  }
  return usedCodes
}

/** Whoever hears of all events hears the same of the same: the ids and the bytes of the bodies, in the order of the log. */
async function compareWebhooks(...worlds: [World, World]) {
  const heard = await Promise.all(
    worlds.map(async ({ chancery, receiver }) => {
      const seq = await seqOf(chancery)
      await until(() => receiver.newsAt('/all').length >= seq, 'every event arrives', 30_000)
      return receiver
        .newsAt('/all')
        .map(message => ({ message, seq: (JSON.parse(dataOf(message)) as { seq: number }).seq }))
        .sort((one, other) => one.seq - other.seq)
        .map(({ message: { id, body, headers } }) => [id, headers['content-type'], body])
    }),
  )
  assert.ok(heard.every(messages => messages.length > ids.nation.length))
  assert.deepEqual(heard[1], heard[0], 'the webhooks')
}

/** Whoever follows the stream from the start reads the same, byte for byte: events, their ids, and what stands between them. */
async function compareStreams(...worlds: [World, World]) {
  const read = await Promise.all(
    worlds.map(async ({ chancery, stream }) => {
      const seq = await seqOf(chancery)
      await stream.until(({ id, data }) => id === seq && data !== undefined)
      // How far the log has been looked through when a heartbeat falls due depends on the moment.
      return stream.text().replaceAll(/: heartbeat\nid: \d+\n\n/g, '')
    }),
  )
  assert.ok(read.every(text => text.length > 1_000))
  assert.equal(read[1], read[0], 'the stream')
}

/** All requests for who has no key; for the others what may depend on them, and some of what may not. */
function requestsFor(viewer: Viewer, requests: readonly Request[], seed: number) {
  const { canonical, mirror } = bases
  if (viewer.player === undefined) {
    return requests.flatMap(request => [canonical, mirror].map(base => ({ viewer, request, base })))
  }
  const shared = requests.filter(({ operation }) => !isForSome(operation))
  const step = Math.ceil(shared.length / sharedPerViewer)
  const chosen = [
    ...requests.filter(({ operation }) => isForSome(operation)),
    ...shared.filter((_, index) => index % step === seed % step),
  ]
  return chosen.map((request, index) => ({ viewer, request, base: index % 2 === 0 ? canonical : mirror }))
}

async function answerOf(
  { chancery, keys, times }: World,
  viewer: Viewer,
  { operation, path }: Request,
  base: string,
  headers: Record<string, string>,
) {
  const key = keys.get(viewer.name)
  const exchange = await sendRequest(chancery.url, base + withTimes(path, times), { key, headers })
  const { etag } = exchange.headers
  return { status: exchange.status, etag, text: withoutClocks(operation.id, textOf(exchange), times) }
}

/** What a server's own clock or chance made differs between two servers. What stands in its place must not. */
function withoutClocks(operation: string, text: string, times: string[]): string {
  switch (operation) {
    case 'game.get':
      return text
        .replace(/^(etag|content-length): .*$/gm, '$1')
        .replace(
          /"world_changed_at":"([^"]*)"/,
          (_, time: string) => `changed in batch ${times.indexOf(time)}`,
        )
    case 'me.key':
      return text
        .replace(/^content-length: .*$/m, '')
        .replace(/"(id":"key_|created_at|last_used_at|remaining)[^,}]*/g, '$1')
    default:
      return text
  }
}

/** Secrets alone, told to a world that has been read: nothing that everybody reads moves, not even a version inside. */
async function addSecrets(
  asked: readonly Request[],
  { chancery, receiver, times }: World,
  { said, unseen }: Secrets,
  usedCodes: string[],
) {
  const requests = asked.filter(({ operation }) => operation.cache !== 'private')
  const snapshot = async () => {
    const answers = new Map<string, string>()
    await eachOf(requests, async ({ path }) => {
      answers.set(path, textOf(await sendRequest(chancery.url, bases.canonical + withTimes(path, times))))
    })
    await eachOf(usedCodes, async path => {
      answers.set(path, textOf(await sendRequest(chancery.url, path)))
    })
    return { answers, heard: receiver.received.length, ...(await statusOf(chancery)) }
  }
  const before = await snapshot()
  const last = said.filter(({ batch }) => batch === batchCount - 1).map(secret => ({ ...secret, batch: 0 }))
  const secret = factBatchesOf([[]], { said: last, places: ['apart'], unseen: [] })
  const handedOver = ids.nation.map(id => ({ op: 'put', resource: 'nation', data: { id, player: 'p_next' } }))
  const facts = [
    ...secret.flat().flatMap(telling => telling.facts),
    ...unseen.map(({ fact }) => fact),
    ...handedOver,
  ]
  await chancery.ingest(facts)
  assert.deepEqual(await snapshot(), before)
}
