import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bases } from '@chancery/contract'
import { assertError, readResponse } from '../http/responses.ts'
import { smallWorld } from '../http/world.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { tier } from '../support/tier.ts'

let one: TestServer
let other: TestServer
before(async () => {
  one = await startTestServer()
  other = await startTestServer({}, { databaseUrl: one.databaseUrl })
  await one.ingest(smallWorld(), { waits: false })
})
after(async () => {
  await other.close()
  await one.close()
})

const redemptions = tier === 'quick' ? 200 : 1_000

test('of many simultaneous redemptions, over two servers and both bases, exactly one succeeds', async () => {
  const code = await one.makeCode('n1')
  const ways = [one, other].flatMap(server => Object.values(bases).map(base => ({ server, base })))
  const answers = await Promise.all(
    Array.from({ length: redemptions }, async (_, index) => {
      const way = ways[index % ways.length]
      assert.ok(way)
      for (;;) {
        const answer = await readResponse(await way.server.get(`/discord/verify/${code}`, { base: way.base }))
        // A busy machine may keep a call from a connection for too long: it asks again, as it is told to.
        if (answer.status !== 503) return answer
      }
    }),
  )
  const [redeemed, ...more] = answers.filter(({ status }) => status === 200)
  assert.ok(redeemed && more.length === 0)
  assert.equal(JSON.parse(redeemed.body).data.nation.id, 'n1')
  for (const answer of answers)
    if (answer !== redeemed) assertError(answer, 'verification_code_used', 'too late')
})

test('codes redeemed at once are each redeemed', async () => {
  const codes = await Promise.all(Array.from({ length: 9 }, () => one.makeCode('n2')))
  assert.equal(new Set(codes).size, codes.length)
  const answers = await Promise.all(codes.map(code => other.get(`/discord/verify/${code}`)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})
