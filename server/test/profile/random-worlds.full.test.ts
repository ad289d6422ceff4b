import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyOf, type OpenApiDocument, type Profile } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { randomProfiles } from '../../../contract/test/random-profiles.ts'
import { compiler, documentProblems, validationErrors } from '../../../contract/test/validation.ts'
import { pluck } from '../support/pluck.ts'
import type { TestServer } from '../support/test-server.ts'
import { randomRuns, whileBegunWithin } from '../support/tier.ts'
import { until } from '../support/until.ts'
import { createGameHost, read, smallGame } from './games.ts'

/** A failure prints its seed; CHANCERY_TEST_SEED runs it again. */
const seed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
const endsAt = '2026-06-01T12:30:00Z'

/** Sends a batch as lines, again if the database was unavailable for a moment. Returns its status. */
async function sendLines(server: TestServer, lines: string): Promise<string | undefined> {
  let status: string | undefined
  await until(async () => {
    status = (await server.send(lines))[0]?.status
    return status !== 'unavailable'
  }, 'the batch has a result')
  return status
}

/** Ingests a simulated world of a game, and checks that all keys of its profile are served. */
async function serve(profile: Profile): Promise<void> {
  const host = await createGameHost()
  try {
    const server = await host.start(profile)
    const schema = await (await fetch(`${server.operatorUrl}/facts.schema.json`)).json()
    const validate = compiler()(schema as object)
    for (const batch of createWorld({ nations: 40, days: 4, seed: 5, endsAt, profile }).history()) {
      for (const fact of batch.facts)
        assert.deepEqual(validationErrors(validate, fact), [], JSON.stringify(fact))
      assert.equal(await sendLines(server, linesOf(batch)), 'applied', batch.id)
    }

    const game = (await read(server, '/game')).data
    const { pages: _pages, event_kinds: kinds, attributes, ...lists } = profile
    for (const [name, value] of Object.entries({ ...lists, currency: currencyOf(profile) }))
      assert.deepEqual(game[name], value, name)
    const isPublished = ({ class: of }: { class: string }) => of !== 'admin_only'
    const published = game.attributes as Profile['attributes']
    for (const owner of ['nation', 'alliance'] as const)
      assert.deepEqual(
        pluck(published[owner], 'key'),
        attributes[owner].filter(isPublished).map(({ key }) => key),
      )
    const types = (game.event_kinds as { type: string }[]).map(({ type }) => type)
    for (const { type } of kinds) assert.ok(types.includes(type), type)

    const document = await (await fetch(`${server.url}/openapi.json`)).json()
    assert.deepEqual(documentProblems(document as OpenApiDocument), [])
    for (const path of ['/docs', '/docs/', '/developers']) {
      const page = await (await fetch(server.url + path)).text()
      assert.doesNotMatch(page, /<img src=x|<script>alert/, path)
    }
    for (const path of ['/nations', '/alliances', '/wars', '/market/price', '/events', '/news', '/rankings'])
      assert.equal((await read(server, path)).status, 200, path)

    await server.close()
    // The same profile again is no change, in whatever order the database stores its keys.
    await host.start(profile)
  } finally {
    await host.close()
  }
}

test('another game is served with its own keys', () => serve(smallGame))

test('any game is served with its own keys', { timeout: 1_200_000 }, async () => {
  console.log(`games of the seed ${seed}`)
  const isInTime = whileBegunWithin(60_000)
  const property = fc.asyncProperty(randomProfiles, async profile => {
    if (isInTime()) await serve(profile)
  })
  await fc.assert(property, { numRuns: randomRuns(2), seed, endOnFailure: true })
})
