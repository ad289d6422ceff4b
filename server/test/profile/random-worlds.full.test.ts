import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument, Profile } from '@chancery/contract'
import { createWorld, linesOf } from '@chancery/simulator'
import fc from 'fast-check'
import { compiler, complaints } from '../../../contract/test/compile.ts'
import { documentProblems } from '../../../contract/test/document-problems.ts'
import { randomProfiles } from '../../../contract/test/random-profiles.ts'
import { randomRuns, whileBegunWithin } from '../support/tier.ts'
import { createGameHost, read, sendLines, smallGame } from './games.ts'

/** A failure prints its seed; CHANCERY_TEST_SEED runs it again. */
const seed = Number(process.env.CHANCERY_TEST_SEED ?? Date.now() % 2 ** 31)
const endsAt = '2026-06-01T12:30:00Z'

/** A whole server for a game, a simulated world told to it, and all that it says of its words. */
async function serve(profile: Profile): Promise<void> {
  const host = await createGameHost()
  try {
    const server = await host.start(profile)
    const schema = await (await fetch(`${server.operatorUrl}/facts.schema.json`)).json()
    const validate = compiler()(schema as object)
    for (const batch of createWorld({ nations: 40, days: 4, seed: 5, endsAt, profile }).history()) {
      for (const fact of batch.facts) assert.deepEqual(complaints(validate, fact), [], JSON.stringify(fact))
      const outcome = await sendLines(server, linesOf(batch))
      assert.equal(outcome.status, 'applied', JSON.stringify(outcome))
    }

    const game = (await read(server, '/game')).data as Record<string, unknown>
    const { pages: _pages, event_kinds: kinds, attributes, ...words } = profile
    for (const [name, value] of Object.entries(words)) assert.deepEqual(game[name], value, name)
    const isTold = ({ class: of }: { class: string }) => of !== 'admin_only'
    const told = game.attributes as Profile['attributes']
    for (const owner of ['nation', 'alliance'] as const)
      assert.deepEqual(
        told[owner].map(({ key }) => key),
        attributes[owner].filter(isTold).map(({ key }) => key),
      )
    const types = (game.event_kinds as { type: string }[]).map(({ type }) => type)
    for (const { type } of kinds) assert.ok(types.includes(type), type)

    const document = await (await fetch(`${server.publicUrl}/openapi.json`)).json()
    assert.deepEqual(documentProblems(document as OpenApiDocument), [])
    for (const path of ['/docs', '/docs/', '/developers']) {
      const page = await (await fetch(server.publicUrl + path)).text()
      assert.doesNotMatch(page, /<img src=x|<script>alert/, path)
    }
    for (const path of ['/nations', '/alliances', '/wars', '/market/price', '/events', '/news', '/rankings'])
      assert.equal((await read(server, path)).status, 200, path)

    await server.close()
    // The same words again are no change, in whatever order the database keeps them.
    await host.start(profile)
  } finally {
    await host.close()
  }
}

test('another game is served in its own words', () => serve(smallGame))

test('any game is served in its own words', { timeout: 1_200_000 }, async () => {
  console.log(`games of the seed ${seed}`)
  const isInTime = whileBegunWithin(60_000)
  const property = fc.asyncProperty(randomProfiles, async profile => {
    if (isInTime()) await serve(profile)
  })
  await fc.assert(property, { numRuns: randomRuns(2), seed, endOnFailure: true })
})
