import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bases, type Contract, contractFor, demoProfile } from '@chancery/contract'
import fc from 'fast-check'
import { runRankingRound } from '../../src/rankings/round.ts'
import { createPool } from '../../src/store/database.ts'
import { startChancery, type TestChancery } from '../support/chancery.ts'
import { ask, eachOf, hangUp, told } from './exchange.ts'
import { profiles } from './profiles.ts'
import { isForSome, type Request, requestsOf, withTimes } from './requests.ts'
import { alikeFor, type Secrets, secretsOf, type Telling, tellingsOf } from './secrets.ts'
import { type Viewer, viewers } from './viewers.ts'
import { batchCount, ids, type Script, scripts } from './world.ts'

/** A run is two servers, two worlds and some thousand requests: two to four seconds. */
const runs = 6
/** Requests for shared bodies by each viewer with a key; anonymous makes all of them, under both bases. */
const sharedPerViewer = 25

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

const cases: fc.Arbitrary<Case> = fc.oneof(fc.constant(demoProfile), profiles).chain(profile => {
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

test('two worlds that differ only in what a viewer may not read answer that viewer with the same bytes', async () => {
  const property = fc.asyncProperty(cases, async ({ contract, script, asked, seed, ...secrets }) => {
    const [one, other] = alikeFor(asked, secrets.one, secrets.other)
    const worlds = [await startWorld(contract), await startWorld(contract)] as const
    try {
      const [first, second] = worlds
      first.times = await tellWorld(first.chancery, tellingsOf(script, one))
      second.times = await tellWorld(second.chancery, tellingsOf(script, other))
      await compare(contract, asked, seed, first, second)
      await compareIdentities(first, second)
      await addSecrets(contract, first, secrets.other)
    } finally {
      await Promise.all(worlds.map(world => world.close()))
    }
  })
  // A run is slow, and its failure names the viewer and the request: the first one is enough.
  await fc.assert(property, { numRuns: runs, endOnFailure: true })
})

/** A server with a world in it, and a key for each viewer. */
interface World {
  chancery: TestChancery
  keys: Map<string, string>
  /** When each public batch was logged, by this server's clock. */
  times: string[]
  close(): Promise<void>
}

async function startWorld({ profile }: Contract): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-disclosure-'))
  const gameFile = join(folder, 'game.json')
  await writeFile(gameFile, JSON.stringify(profile))
  const chancery = await startChancery({ CHANCERY_GAME_FILE: gameFile })
  const close = async () => {
    await chancery.close()
    await rm(folder, { recursive: true })
  }
  return { chancery, keys: await makeKeys(chancery), times: [], close }
}

async function tellWorld(chancery: TestChancery, tellings: Telling[][]): Promise<string[]> {
  const times: string[] = []
  for (const telling of tellings) {
    for (const { facts, isSecret } of telling) {
      const before = await changedAt(chancery)
      const outcome = await chancery.tell(facts, { waits: false })
      const now = await changedAt(chancery)
      if (isSecret)
        assert.deepEqual([now, outcome.events], [before, 0], 'a secret moves no time and tells no event')
      else times.push(String(now))
    }
  }
  await rank(chancery)
  return times
}

/** The ranking round, at once: a server on its own makes pauses between rounds. */
async function rank({ databaseUrl, operate }: TestChancery): Promise<void> {
  const pool = createPool({
    target: { connectionString: databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
  try {
    for (;;) {
      await runRankingRound(pool).catch(() => undefined)
      const status = await (await operate('GET', '/status')).json()
      const { world_version, ranked_version } = status as Record<string, number>
      if (world_version === ranked_version) return
    }
  } finally {
    await pool.close()
  }
}

async function changedAt(chancery: TestChancery): Promise<string | null> {
  return (await chancery.read<{ data: { world_changed_at: string | null } }>('/game')).data.world_changed_at
}

async function makeKeys(chancery: TestChancery): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const { name, player, scopes } of viewers) {
    if (player) keys.set(name, (await chancery.makeKey({ player_id: player }, [...scopes])).key)
  }
  return keys
}

async function compare(contract: Contract, asked: Viewer[], seed: number, one: World, other: World) {
  const requests = requestsOf(contract)
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

/** Codes differ from server to server; what they say of a nation must not. */
async function compareIdentities(...worlds: [World, World]) {
  for (const id of ids.nation) {
    const answers = await Promise.all(
      worlds.map(async ({ chancery }) => {
        const path = `${bases.canonical}/discord/verify/${await chancery.makeCode(id)}`
        const exchanges = [await ask(chancery.url, path), await ask(chancery.url, path)]
        return exchanges.map(told)
      }),
    )
    assert.deepEqual(answers[1], answers[0], `the identity of ${id}`)
  }
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
  const exchange = await ask(chancery.url, base + withTimes(path, times), { key, headers })
  const { etag } = exchange.headers
  return { status: exchange.status, etag, text: withoutClocks(operation.id, told(exchange), times) }
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
async function addSecrets(contract: Contract, { chancery, times }: World, { said, unseen }: Secrets) {
  const requests = requestsOf(contract).filter(({ operation }) => operation.body !== 'personal')
  const snapshot = async () => {
    const answers = new Map<string, string>()
    await eachOf(requests, async ({ path }) => {
      answers.set(path, told(await ask(chancery.url, bases.canonical + withTimes(path, times))))
    })
    return { answers, ...(await statusOf(chancery)) }
  }
  const before = await snapshot()
  const last = said.filter(({ batch }) => batch === batchCount - 1).map(secret => ({ ...secret, batch: 0 }))
  const secret = tellingsOf([[]], { said: last, places: ['apart'], unseen: [] })
  const facts = [...secret.flat().flatMap(telling => telling.facts), ...unseen.map(({ fact }) => fact)]
  await chancery.tell(facts)
  assert.deepEqual(await snapshot(), before)
}

async function statusOf(chancery: TestChancery) {
  const status = await (await chancery.operate('GET', '/status')).json()
  const { seq, world_version, world_changed_at } = status as Record<string, unknown>
  return { seq, world_version, world_changed_at }
}
