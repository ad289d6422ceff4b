/** examples/python/chancery.py against a real server. Examples import nothing of ours, so it is here. */
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

  test('reads one thing, a list, and all pages of a list', async () => {
    const told = await run(`
c = client()
tell(c.get("/nations/{id}", id="n1"))
tell(c.get("/nations", search="ar"))
tell(list(c.iterate("/nations", limit=2)))
tell(list(c.iterate("/market/price")))
tell(c.get("/nations/{id}", id="n1"))`)
    const one = await chancery.read('/nations/n1')
    const all = await chancery.read<{ data: unknown[] }>('/nations')
    const prices = await chancery.read<{ data: unknown[] }>('/market/price')
    assert.equal(all.data.length, 7)
    assert.deepEqual(told, [one, await chancery.read('/nations?search=ar'), all.data, prices.data, one])
  })

  test('tells the errors of the API by code, status and request id', async () => {
    const [unknown, malformed, refused, redirect] = await run(`
c = client()
tell(fails(lambda: c.get("/nations/{id}", id="nobody")))
tell(fails(lambda: c.get("/nations", limit=101)))
tell(fails(lambda: client(api_key="chk_wrong").get("/eras")))
tell(fails(lambda: c.verify("NOSUCHCODE")))`)
    for (const [told, code, status] of [
      [unknown, 'not_found', 404],
      [malformed, 'invalid_parameter', 400],
      [refused, 'invalid_api_key', 401],
      [redirect, 'verification_code_unknown', 404],
    ] as const) {
      const [toldCode, toldStatus, requestId] = told as string[]
      assert.deepEqual([toldCode, toldStatus], [code, status])
      assert.match(String(requestId), /^req_/)
    }
  })

  test('redeems a code, once, for the account that it is bound to', async () => {
    const code = await chancery.makeCode('n2', 'user:42')
    const told = await run(
      `
c = client()
tell(fails(lambda: c.verify(os.environ["CODE"]))[0])
tell(c.verify(" " + os.environ["CODE"].lower() + " ", account="user:42"))
tell(fails(lambda: c.verify(os.environ["CODE"], account="user:42"))[0])`,
      { CODE: code },
    )
    assert.deepEqual(told, [
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

  test('reads with its key what the key opens', async () => {
    const { key } = await chancery.makeKey({ player_id: playerOf('n1') }, ['economy.read'])
    const told = await run(
      `
c = client(api_key=os.environ["KEY"])
tell(c.get("/me/key")["data"]["scopes"])
tell(c.get("/me/nation")["data"]["economy"]["resources"])
tell(fails(lambda: c.get("/me/nation", include=["economy", "military"]))[0])`,
      { KEY: key },
    )
    assert.deepEqual(told, [['economy.read'], { steel: 12 }, 'insufficient_scope'])
  })

  test('asks again for what was kept, and learns that it has not changed', async () => {
    const told = await run(`
seen = []
ask = chancery._Exchange.__init__
def watched(self, *rest, **more):
    ask(self, *rest, **more)
    seen.append(self.status)
chancery._Exchange.__init__ = watched
c = client()
tell(c.get("/events", limit=100) == c.get("/events", limit=100))
tell(c.get("/eras") == c.get("/eras"))
tell(seen)`)
    assert.deepEqual(told, [true, true, [200, 304, 200]])
  })

  for (const stream of ['True', 'False']) {
    test(`follows what is logged while it listens, each event once, stream=${stream}`, async () => {
      const from = (await everySeq()).at(-1) ?? 0
      const following = run(`
import itertools
for event in itertools.islice(client().follow(after=${from}, stream=${stream}, every=0.05), 12):
    tell(event["seq"])`)
      for (let batch = 0; batch < 6; batch += 1) {
        await chancery.ingest([rename(`Sorrow ${stream} ${batch}`)], { waits: false })
        await chancery.ingest([rename(`Joy ${stream} ${batch}`)], { waits: false })
        await sleep(40)
      }
      const told = await following
      assert.deepEqual(
        told,
        (await everySeq()).filter(seq => seq > from),
      )
      assert.equal(told.length, 12)
    })
  }

  test('follows from the beginning of the log, through a filter', async () => {
    const told = await run(`
import itertools
for event in itertools.islice(client().follow(after=0, types=["war.*", "battle.fought"]), 2):
    tell(event["type"])`)
    assert.deepEqual(told, ['war.declared', 'battle.fought'])
  })

  test('says when the log does not hold its number', async () => {
    const told = await run(`tell(fails(lambda: next(client().follow(after=10**9)))[:2])`)
    assert.deepEqual(told, [['cursor_expired', 410]])
  })

  test('waits for the next window instead of running into its end', async () => {
    const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: '3' })
    try {
      const startedAt = performance.now()
      const told = await runPython(
        `
class Enough(Exception):
    pass
def sleep(seconds):
    tell(seconds)
    raise Enough
chancery.time.sleep = sleep
for paces in (True, False):
    c = client(paces=paces)
    try:
        for _ in range(4): c.get("/events")
    except Enough:
        pass`,
        { url: small.url },
      )
      // The first client waited before its fourth call; the second was refused at once.
      const [paced = 0, refused = 0] = told as number[]
      const tookSeconds = (performance.now() - startedAt) / 1000
      for (const seconds of [paced, refused]) {
        const isRestOfWindow = seconds + tookSeconds > limits.windowSeconds - 2
        assert.ok(isRestOfWindow && seconds <= limits.windowSeconds + 1, `${seconds} s`)
      }
      assert.equal(told.length, 2)
    } finally {
      await small.close()
    }
  })
})
