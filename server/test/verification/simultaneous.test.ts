import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bases } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { useFixture, useTestServer } from '../support/fixture.ts'
import { startTestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'

const one = useTestServer({}, { facts: smallWorld() })
const other = useFixture(() => startTestServer({}, { databaseUrl: one.databaseUrl }))

const redemptions = tier === 'quick' ? 200 : 1_000

test('of many simultaneous redemptions, over two servers and both bases, exactly one succeeds', async () => {
  const code = await one.makeCode('n1')
  const ways = [one, other].flatMap(server => Object.values(bases).map(base => ({ server, base })))
  const responses = await Promise.all(
    Array.from({ length: redemptions }, async (_, index) => {
      const way = ways[index % ways.length]
      assert.ok(way)
      for (;;) {
        const response = await readResponse(
          await way.server.get(`/discord/verify/${code}`, { base: way.base }),
        )
        // On a busy machine a request may wait too long for a connection: it is retried.
        if (response.status !== 503) return response
      }
    }),
  )
  const [redeemed, ...more] = responses.filter(({ status }) => status === 200)
  assert.ok(redeemed && more.length === 0)
  assert.equal(JSON.parse(redeemed.body).data.nation.id, 'n1')
  for (const response of responses)
    if (response !== redeemed) assertError(response, 'verification_code_used', 'too late')
})

test('codes redeemed at once are each redeemed', async () => {
  const codes = await Promise.all(Array.from({ length: 9 }, () => one.makeCode('n2')))
  assert.equal(new Set(codes).size, codes.length)
  const responses = await Promise.all(codes.map(code => other.get(`/discord/verify/${code}`)))
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
})
