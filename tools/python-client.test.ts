/** Tests examples/python/chancery.py with a real server. It is here because examples must not import the server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@chancery/contract'
import { runPython, withPython } from '../examples/python/test/python.ts'
import { playerOf, smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'

const rename = (to: string) => ({ op: 'put', resource: 'nation', data: { id: 'n7', nation_name: to } })

describe('chancery.py against a server', withPython, () => {
  let chancery: TestServer
  before(async () => {
    chancery = await startTestServer()
    await chancery.ingest(smallWorld())
  })
  after(() => chancery.close())

  const run = (script: string, env: NodeJS.ProcessEnv = {}) => runPython(script, { url: chancery.url, env })
  const everySeq = async () => {
    const { data } = await chancery.read<{ data: { seq: number }[] }>('/events?after=0&limit=100')
    return data.map(({ seq }) => seq)
  }

  test('reads an item, a list, and all pages of a list', async () => {
    const results = await run(`
c = client()
report(c.get("/nations/{id}", id="n1"))
report(c.get("/nations", search="ar"))
report(list(c.iterate("/nations", limit=2)))
report(list(c.iterate("/market/price")))
report(c.get("/nations/{id}", id="n1"))`)
    const one = await chancery.read('/nations/n1')
    const all = await chancery.read<{ data: unknown[] }>('/nations')
    const prices = await chancery.read<{ data: unknown[] }>('/market/price')
    assert.equal(all.data.length, 7)
    assert.deepEqual(results, [one, await chancery.read('/nations?search=ar'), all.data, prices.data, one])
  })

  test('raises the errors of the API with code, status and request id', async () => {
    const [unknown, malformed, unauthorized, unverified] = await run(`
c = client()
report(fails(lambda: c.get("/nations/{id}", id="unknown")))
report(fails(lambda: c.get("/nations", limit=101)))
report(fails(lambda: client(api_key="chk_wrong").get("/eras")))
report(fails(lambda: c.verify("NOSUCHCODE")))`)
    for (const [error, code, status] of [
      [unknown, 'not_found', 404],
      [malformed, 'invalid_parameter', 400],
      [unauthorized, 'invalid_api_key', 401],
      [unverified, 'verification_code_unknown', 404],
    ] as const) {
      const [errorCode, errorStatus, requestId] = error as string[]
      assert.deepEqual([errorCode, errorStatus], [code, status])
      assert.match(String(requestId), /^req_/)
    }
  })

  test('redeems a code once, for the account that it is bound to', async () => {
    const code = await chancery.makeCode('n2', 'user:42')
    const results = await run(
      `
c = client()
report(fails(lambda: c.verify(os.environ["CODE"]))[0])
report(c.verify(" " + os.environ["CODE"].lower() + " ", account="user:42"))
report(fails(lambda: c.verify(os.environ["CODE"], account="user:42"))[0])`,
      { CODE: code },
    )
    assert.deepEqual(results, [
      'verification_code_unknown',
      {
        verified: true,
        nation: {
          id: 'n2',
          nation_name: 'Karsk',
          leader_name: 'Leader of Karsk',
          national_score: 1500,
        },
        alliance: { alliance_id: 'a1', rank: 'officer', alliances: { name: 'Northern Pact', tag: 'NP' } },
      },
      'verification_code_used',
    ])
  })

  test('reads with its key what the scopes of the key allow', async () => {
    const { key } = await chancery.makeKey({ player_id: playerOf('n1') }, ['economy.read'])
    const results = await run(
      `
c = client(api_key=os.environ["KEY"])
report(c.get("/me/key")["data"]["scopes"])
report(c.get("/me/nation")["data"]["economy"]["resources"])
report(fails(lambda: c.get("/me/nation", include=["economy", "military"]))[0])`,
      { KEY: key },
    )
    assert.deepEqual(results, [['economy.read'], { steel: 12 }, 'insufficient_scope'])
  })

  test('revalidates a cached response', async () => {
    const results = await run(`
statuses = []
send = chancery._Exchange.__init__
def watched(self, *rest, **more):
    send(self, *rest, **more)
    statuses.append(self.status)
chancery._Exchange.__init__ = watched
c = client()
report(c.get("/events", limit=100) == c.get("/events", limit=100))
report(c.get("/eras") == c.get("/eras"))
report(statuses)`)
    assert.deepEqual(results, [true, true, [200, 304, 200]])
  })

  for (const stream of ['True', 'False']) {
    test(`follows events as they are logged, each once, stream=${stream}`, async () => {
      const from = (await everySeq()).at(-1) ?? 0
      const following = run(`
import itertools
for event in itertools.islice(client().follow(after=${from}, stream=${stream}, poll_seconds=0.05), 12):
    report(event["seq"])`)
      for (let batch = 0; batch < 6; batch += 1) {
        await chancery.ingest([rename(`Sorrow ${stream} ${batch}`)], { waits: false })
        await chancery.ingest([rename(`Joy ${stream} ${batch}`)], { waits: false })
        await sleep(40)
      }
      const results = await following
      assert.deepEqual(
        results,
        (await everySeq()).filter(seq => seq > from),
      )
      assert.equal(results.length, 12)
    })
  }

  test('follows from the start of the log, with a filter', async () => {
    const results = await run(`
import itertools
for event in itertools.islice(client().follow(after=0, types=["war.*", "battle.fought"]), 2):
    report(event["type"])`)
    assert.deepEqual(results, ['war.declared', 'battle.fought'])
  })

  test('raises cursor_expired if the log does not contain its position', async () => {
    const results = await run(`report(fails(lambda: next(client().follow(after=10**9)))[:2])`)
    assert.deepEqual(results, [['cursor_expired', 410]])
  })

  test('waits for the next window instead of exceeding the rate limit', async () => {
    const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: '3' })
    try {
      const startedAt = performance.now()
      const results = await runPython(
        `
class Enough(Exception):
    pass
def sleep(seconds):
    report(seconds)
    raise Enough
chancery.time.sleep = sleep
for rate_limit in (True, False):
    c = client(rate_limit=rate_limit)
    try:
        for _ in range(4): c.get("/events")
    except Enough:
        pass`,
        { url: small.url },
      )
      // The first client waited before its fourth request; the second got a 429.
      const [waited = 0, rejected = 0] = results as number[]
      const tookSeconds = (performance.now() - startedAt) / 1000
      for (const seconds of [waited, rejected]) {
        const isRestOfWindow = seconds + tookSeconds > limits.windowSeconds - 2
        assert.ok(isRestOfWindow && seconds <= limits.windowSeconds + 1, `${seconds} s`)
      }
      assert.equal(results.length, 2)
    } finally {
      await small.close()
    }
  })
})
