import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bases, type Contract, contractFor } from '@chancery/contract'
import fc from 'fast-check'
import { put, seqOf } from '../ingest/facts.ts'
import { downloadSnapshot, takeSnapshot } from '../snapshots/take-snapshot.ts'
import { pluck } from '../support/pluck.ts'
import { randomRuns, tier, whileBegunWithin } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { eventJsonOf } from '../webhooks/verified.ts'
import { closeConnections, eachOf, sendRequest, textOf } from './exchange.ts'
import { ingestWorld, startWorld, statusOf, type World } from './ingested-world.ts'
import { profiles } from './profiles.ts'
import { isViewerSpecific, type Request, requestsOf, withTimes } from './requests.ts'
import { alikeFor, factBatchesOf, type Secrets, secretsOf } from './secrets.ts'
import { type Viewer, viewers } from './viewers.ts'
import { batchCount, ids, type Script, scripts } from './world.ts'

/** A run is two servers, two worlds and some thousand requests: two to four seconds. */
const runs = randomRuns(3)
const begunWithinMs = 60_000
/** All of them, where many are drawn. */
const timeout = 1_200_000
/** A failure names the request; CHANCERY_TEST_SEED repeats the run. */
const caseSeed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
/** Requests for shared bodies by each viewer with a key; anonymous makes all of them, under both bases. */
const sharedPerViewer = 25
/** The quick tier makes one of this many requests with shared responses; each run makes other ones. */
const sharedStep = tier === 'quick' ? 6 : 1

after(closeConnections)

interface Case {
  contract: Contract
  script: Script
  one: Secrets
  other: Secrets
  /** The viewers for whom the two worlds are the same. The others may see a difference, and make no requests. */
  tested: Viewer[]
  seed: number
}

const cases: fc.Arbitrary<Case> = profiles.chain(profile => {
  const contract = contractFor(profile)
  const parts = fc.record({
    contract: fc.constant(contract),
    script: scripts(contract),
    one: secretsOf(contract),
    other: secretsOf(contract),
    tested: fc
      .array(fc.boolean(), { minLength: viewers.length, maxLength: viewers.length })
      .map(chosen => viewers.filter((viewer, index) => viewer.nation === undefined || chosen[index])),
    seed: fc.nat(),
  })
  // A case has a megabyte, so a failure prints only a summary.
  return parts.map(parts => ({
    ...parts,
    [fc.toStringMethod]: () => `a world with ${parts.tested.length} viewers`,
  }))
})

test('two worlds that differ only in what a viewer may not read return the same bytes to that viewer', {
  timeout,
}, async () => {
  const isInTime = whileBegunWithin(begunWithinMs)
  const property = fc.asyncProperty(cases, async ({ contract, script, tested, seed, ...secrets }) => {
    if (!isInTime()) return
    const [one, other] = alikeFor(tested, secrets.one, secrets.other)
    const worlds = [await startWorld(contract), await startWorld(contract)] as const
    try {
      const [first, second] = worlds
      first.times = await ingestWorld(first.chancery, factBatchesOf(script, one))
      second.times = await ingestWorld(second.chancery, factBatchesOf(script, other))
      await compare(contract, tested, seed, first, second)
      const usedCodes = await compareIdentities(first, second)
      await compareWebhooks(first, second)
      await compareStreams(first, second)
      await compareSnapshots(contract, first, second)
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
    ({ operation }, index) => isViewerSpecific(operation) || index % sharedStep === seed % sharedStep,
  )

async function compare(contract: Contract, tested: Viewer[], seed: number, one: World, other: World) {
  const requests = requestsOfRun(contract, seed)
  const compared = tested.flatMap((viewer, index) => requestsFor(viewer, requests, seed + index))
  await eachOf(compared, async ({ viewer, request, base }) => {
    const responses = await Promise.all(
      [one, other].map(world => responseOf(world, viewer, request, base, {})),
    )
    const [first, second] = responses
    assert.ok(first && second)
    const what = `${viewer.name} requests ${base}${request.path}`
    assert.ok(first.status < 500, `${what}: ${first.status} ${first.text}`)
    assert.ok(
      second.text === first.text,
      `${what}:\n${first.text}\n\nand in the other world:\n${second.text}`,
    )
    // A shared body has one ETag for all viewers, so that a 304 is requested once.
    if (first.etag === undefined || viewer.player !== undefined || base !== bases.mirror) return
    const known = { 'if-none-match': first.etag }
    const again = await Promise.all(
      [one, other].map(world => responseOf(world, viewer, request, base, known)),
    )
    assert.deepEqual(
      pluck(again, 'status'),
      request.operation.id === 'game.get' ? [304, again[1]?.status] : [304, 304],
      `${what} again`,
    )
  })
}

/** Codes differ between servers; their responses must not. Returns the paths of the first server's codes, which are used now. */
async function compareIdentities(...worlds: [World, World]): Promise<string[]> {
  const usedCodes: string[] = []
  for (const id of ids.nation) {
    const responses = await Promise.all(
      worlds.map(async ({ chancery }, index) => {
        const path = `${bases.canonical}/discord/verify/${await chancery.makeCode(id)}`
        if (index === 0) usedCodes.push(path)
        const exchanges = [await sendRequest(chancery.url, path), await sendRequest(chancery.url, path)]
        return exchanges.map(textOf)
      }),
    )
    assert.deepEqual(responses[1], responses[0], `the identity of ${id}`)
  }
  return usedCodes
}

/** An endpoint for all events receives the same ids and the same bytes, in the order of the log. */
async function compareWebhooks(...worlds: [World, World]) {
  const received = await Promise.all(
    worlds.map(async ({ chancery, receiver }) => {
      const seq = await seqOf(chancery)
      await until(() => receiver.eventsAt('/all').length >= seq, 'every event arrives', 30_000)
      return receiver
        .eventsAt('/all')
        .map(message => ({ message, seq: (JSON.parse(eventJsonOf(message)) as { seq: number }).seq }))
        .sort((one, other) => one.seq - other.seq)
        .map(({ message: { id, body, headers } }) => [id, headers['content-type'], body])
    }),
  )
  assert.ok(received.every(messages => messages.length > ids.nation.length))
  assert.deepEqual(received[1], received[0], 'the webhooks')
}

/** The stream from the start is the same, byte for byte: events, their ids, and comments. */
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

/** The files of a snapshot are the same, byte for byte, and stand for the same change. */
async function compareSnapshots(contract: Contract, ...worlds: [World, World]) {
  const made = await Promise.all(
    worlds.map(async ({ chancery }) => {
      await takeSnapshot(chancery.databaseUrl, contract)
      const { manifest, texts } = await downloadSnapshot(chancery.url)
      return { change_seq: manifest.change_seq, texts: [...texts] }
    }),
  )
  assert.ok(made.every(({ texts }) => texts.length > 5))
  assert.deepEqual(made[1], made[0], 'the snapshots')
}

/** All requests for who has no key; for the others what may depend on them, and some of what may not. */
function requestsFor(viewer: Viewer, requests: readonly Request[], seed: number) {
  const { canonical, mirror } = bases
  if (viewer.player === undefined) {
    return requests.flatMap(request => [canonical, mirror].map(base => ({ viewer, request, base })))
  }
  const shared = requests.filter(({ operation }) => !isViewerSpecific(operation))
  const step = Math.ceil(shared.length / sharedPerViewer)
  const chosen = [
    ...requests.filter(({ operation }) => isViewerSpecific(operation)),
    ...shared.filter((_, index) => index % step === seed % step),
  ]
  return chosen.map((request, index) => ({ viewer, request, base: index % 2 === 0 ? canonical : mirror }))
}

async function responseOf(
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

/** Removes the clock times and random values of a server from a response. */
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

/** Secrets alone change no shared response, and no version. */
async function addSecrets(
  tested: readonly Request[],
  { chancery, receiver, times }: World,
  { values, unseen }: Secrets,
  usedCodes: string[],
) {
  const requests = tested.filter(({ operation }) => operation.cache !== 'private')
  const snapshot = async () => {
    const responses = new Map<string, string>()
    await eachOf(requests, async ({ path }) => {
      responses.set(path, textOf(await sendRequest(chancery.url, bases.canonical + withTimes(path, times))))
    })
    await eachOf(usedCodes, async path => {
      responses.set(path, textOf(await sendRequest(chancery.url, path)))
    })
    return { responses, received: receiver.received.length, ...(await statusOf(chancery)) }
  }
  const before = await snapshot()
  const last = values.filter(({ batch }) => batch === batchCount - 1).map(secret => ({ ...secret, batch: 0 }))
  const secret = factBatchesOf([[]], { values: last, places: ['apart'], unseen: [] })
  const handedOver = ids.nation.map(id => put('nation', { id, player: 'p_next' }))
  const facts = [
    ...secret.flat().flatMap(batch => batch.facts),
    ...unseen.map(({ fact }) => fact),
    ...handedOver,
  ]
  await chancery.ingest(facts)
  assert.deepEqual(await snapshot(), before)
}
