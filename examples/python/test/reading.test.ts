import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, cutOff, hangUp, html, json, page, refusal, serveCanned } from './canned-server.ts'
import { runPython, withPython } from './python.ts'

const good = json({ data: { id: 'n1' } })
const read = `tell(client().get("/nations/{id}", id="n1"))`
const soon = () => String(Math.floor(Date.now() / 1000) + 1)

/** Runs a script against canned answers. */
async function run(script: string, ...answers: Answer[]) {
  const server = await serveCanned(...answers)
  try {
    const told = await runPython(script, { url: server.url })
    return { told, calls: server.calls }
  } finally {
    await server.close()
  }
}

describe('chancery.py against canned answers', withPython, () => {
  test('a call is under the canonical base, with the key in its header and nowhere else', async () => {
    const { told, calls } = await run(
      `
c = client(api_key="chk_of_a_test", user_agent="bot/1 (+https://bot.example)")
tell(c.get("/nations/{id}", id="a/b?c#d é"))
c.get("/nations", search="ar & more", ids=["n1", "n2"], status=None, page=2)
c.get("/nations", ids=[])
Chancery(os.environ["CHANCERY_URL"] + "/api/public/v1/").get("/eras")`,
      good,
    )
    assert.deepEqual(told, [{ data: { id: 'n1' } }])
    assert.deepEqual(
      calls.map(({ target }) => target),
      [
        '/api/v1/nations/a%2Fb%3Fc%23d%20%C3%A9',
        '/api/v1/nations?search=ar+%26+more&ids=n1%2Cn2&page=2',
        '/api/v1/nations?ids=',
        '/api/public/v1/eras',
      ],
    )
    assert.equal(calls[0]?.headers.authorization, 'Bearer chk_of_a_test')
    assert.equal(calls[0]?.headers['user-agent'], 'bot/1 (+https://bot.example)')
    assert.equal(calls[3]?.headers.authorization, undefined)
  })

  test('one connection serves one call after the other', async () => {
    const { calls } = await run(
      `c = client()\nfor n in range(3): c.get("/nations/{id}", id=f"n{n}")\nc.close()`,
      good,
    )
    assert.deepEqual(
      calls.map(({ connection }) => connection),
      [1, 1, 1],
    )
  })

  test('a connection that was closed meanwhile is opened again, without an error', async () => {
    const { told, calls } = await run(
      `c = client(retries=0)\nc.get("/eras")\ntell(c.get("/nations/{id}", id="n1"))`,
      good,
      hangUp,
      good,
    )
    assert.deepEqual([told, calls.length], [[{ data: { id: 'n1' } }], 3])
  })

  for (const [what, fault] of Object.entries<Answer>({
    'a connection that ends without a word': hangUp,
    'a body that is cut off': cutOff,
    'a packed body that is cut off': res =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":{}}').subarray(0, 15)),
    '500': refusal(500, 'internal_error'),
    '502 with HTML': html(502),
    '503 without retry-after': refusal(503, 'unavailable'),
    '429 without retry-after': refusal(429, 'rate_limited'),
    '408': refusal(408, 'request_timeout'),
  })) {
    test(`${what} is tried again`, async () => {
      const { told, calls } = await run(read, fault, fault, good)
      assert.deepEqual([told, calls.length], [[{ data: { id: 'n1' } }], 3])
    })

    test(`${what} is given up after the tries that were asked for`, async () => {
      const { told, calls } = await run(
        `tell(fails(lambda: client(retries=2).get("/nations/{id}", id="n1"))[0])`,
        fault,
      )
      assert.equal(calls.length, 3)
      assert.match(
        String(told[0]),
        /^(network_error|internal_error|unexpected_answer|unavailable|rate_limited|request_timeout)$/,
      )
    })
  }

  for (const [what, answer, expected] of [
    ['400', refusal(400, 'invalid_parameter'), ['invalid_parameter', 400, 'req_of_a_test', null]],
    ['401', refusal(401, 'invalid_api_key'), ['invalid_api_key', 401, 'req_of_a_test', null]],
    ['404', refusal(404, 'not_found'), ['not_found', 404, 'req_of_a_test', null]],
    ['404 with HTML', html(404), ['unexpected_answer', 404, null, null]],
    ['200 with HTML', html(200), ['unexpected_answer', 200, null, null]],
    ['200 with a list', json([]), ['unexpected_answer', 200, null, null]],
    [
      '200 with brackets without end',
      (res => res.end('['.repeat(200_000))) as Answer,
      ['unexpected_answer', 200, null, null],
    ],
    ['an error of another form', json({ error: 'no' }, {}, 403), ['unexpected_answer', 403, null, null]],
    [
      '304 that nobody asked for',
      (res => res.writeHead(304).end()) as Answer,
      ['unexpected_answer', 304, null, null],
    ],
    [
      'a wait of an hour',
      refusal(503, 'unavailable', { 'retry-after': '3600' }),
      ['unavailable', 503, 'req_of_a_test', 3600],
    ],
    [
      'what is called gzip',
      (res => res.writeHead(200, { 'content-encoding': 'gzip' }).end('{}')) as Answer,
      ['unexpected_answer', 200, null, null],
    ],
  ] as [string, Answer, unknown[]][]) {
    test(`${what} is told at once`, async () => {
      const { told, calls } = await run(`tell(fails(lambda: client().get("/nations/{id}", id="n1")))`, answer)
      assert.deepEqual([told[0], calls.length], [expected, 1])
    })
  }

  test('a redirect is not followed: the key stays where it is', async () => {
    const elsewhere = await serveCanned(good)
    const { told } = await run(
      `tell(fails(lambda: client(api_key="chk_of_a_test").get("/nations/{id}", id="n1")))`,
      res => res.writeHead(302, { location: `${elsewhere.url}/api/v1/nations/n1` }).end(),
    )
    await elsewhere.close()
    assert.deepEqual([told[0], elsewhere.calls.length], [['unexpected_answer', 302, null, null], 0])
  })

  for (const status of [429, 503]) {
    for (const form of ['seconds', 'a date']) {
      test(`${status} waits for retry-after, given as ${form}`, async () => {
        const { calls } = await run(
          read,
          (res, req) =>
            refusal(status, 'wait', {
              'retry-after': form === 'seconds' ? '1' : new Date(Date.now() + 2000).toUTCString(),
            })(res, req),
          good,
        )
        const waitedMs = (calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)
        assert.ok(waitedMs >= 950 && waitedMs < 5000, `${waitedMs} ms`)
      })
    }
  }

  test('waits between tries grow, to a cap, and differ', async () => {
    const { told } = await run(
      `
waits = []
chancery.time.sleep = waits.append
c = client(wait_seconds=1, wait_max=5, retries=6)
for _ in range(4): fails(lambda: c.get("/eras"))
tell(waits)`,
      refusal(500, 'internal_error'),
    )
    const waits = told[0] as number[]
    assert.equal(waits.length, 24)
    const bounds = [1, 2, 4, 5, 5, 5]
    waits.forEach((wait, index) => {
      const most = bounds[index % 6] ?? 0
      assert.ok(wait >= most / 2 && wait <= most, `wait ${index} is ${wait}`)
    })
    assert.equal(new Set(waits).size, 24)
  })

  for (const [what, drip] of Object.entries<Answer>({
    'that says nothing': () => {},
    'whose body drips': res => {
      res.writeHead(200, { 'content-length': '100000' })
      const timer = setInterval(() => res.write(' '), 30)
      res.on('close', () => clearInterval(timer))
    },
    'whose head drips': res => {
      res.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => res.socket?.write('x'), 30)
      res.on('close', () => clearInterval(timer))
    },
  })) {
    test(`a server ${what} is given up after the time that was set`, async () => {
      const { told } = await run(
        `
began = time.monotonic()
error = fails(lambda: client(timeout=0.4, retries=0).get("/eras"))
tell([error[0], time.monotonic() - began])`,
        drip,
      )
      const [code, seconds] = told[0] as [string, number]
      assert.equal(code, 'network_error')
      assert.ok(seconds >= 0.35 && seconds < 2, `${seconds} s`)
    })
  }

  test('nobody there is network_error', async () => {
    const closed = await serveCanned(good)
    await closed.close()
    const told = await runPython(`tell(fails(lambda: client(retries=1).get("/eras")))`, { url: closed.url })
    assert.deepEqual(told, [['network_error', null, null, null]])
  })

  test('an answer that unpacks to more than may be is refused before it is there', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))
    const { told } = await run(
      `
import resource
tell(fails(lambda: client().get("/eras")))
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tell(most // 1024 if sys.platform == "darwin" else most)`,
      res => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    assert.deepEqual(told[0], ['unexpected_answer', 200, null, null])
    assert.ok(Number(told[1]) < 150_000, `${told[1]} KiB`)
  })

  test('a packed answer is read', async () => {
    const { told, calls } = await run(read, (res, req) => {
      assert.match(String(req.headers['accept-encoding']), /gzip/)
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":"Côte d’Azur 北"}'))
    })
    assert.deepEqual([told, calls.length], [[{ data: 'Côte d’Azur 北' }], 1])
  })

  test('what may be kept for a minute is asked for once; what must be looked at again, by its ETag', async () => {
    const kept = json({ data: { id: 'n1' } }, { etag: '"one"', 'cache-control': 'private, max-age=60' })
    const looked = json({ data: ['e'] }, { etag: '"two"', 'cache-control': 'private, no-cache, max-age=60' })
    const personal = json({ data: 'mine' }, { etag: '"three"', 'cache-control': 'no-store' })
    const { told, calls } = await run(
      `
c = client()
for _ in range(3): c.get("/nations/{id}", id="n1")["data"]["id"] = "changed by whoever got it"
tell(c.get("/nations/{id}", id="n1"))
for _ in range(2): c.get("/nations/{id}", id="n2")
for _ in range(2): tell(c.get("/events"))
for _ in range(2): c.get("/me/nation")
later = time.monotonic() + 61
chancery.time.monotonic = lambda: later
tell(c.get("/nations/{id}", id="n1"))`,
      kept,
      kept,
      looked,
      res => res.writeHead(304, { etag: '"two"', 'cache-control': 'private, no-cache' }).end(),
      personal,
      personal,
      res => res.writeHead(304, { etag: '"one"', 'cache-control': 'private, max-age=60' }).end(),
    )
    assert.deepEqual(told, [{ data: { id: 'n1' } }, { data: ['e'] }, { data: ['e'] }, { data: { id: 'n1' } }])
    assert.deepEqual(
      calls.map(({ target, headers }) => [target.slice(7), headers['if-none-match']]),
      [
        ['/nations/n1', undefined],
        ['/nations/n2', undefined],
        ['/events', undefined],
        ['/events', '"two"'],
        ['/me/nation', undefined],
        ['/me/nation', undefined],
        ['/nations/n1', '"one"'],
      ],
    )
  })

  test('what is kept is bounded in bytes', async () => {
    const { told } = await run(
      `
c = client()
for n in range(40): c.get("/nations/{id}", id=n)
tell([c._cache._bytes, len(c._cache._kept)])`,
      json({ data: 'x'.repeat(1_048_576) }, { etag: '"one"', 'cache-control': 'private, max-age=60' }),
    )
    const [bytes, count] = told[0] as [number, number]
    assert.ok(bytes <= 16 * 1_048_576 && count === 15, `${bytes} bytes, ${count} answers`)
  })

  test('with nothing left of a window it waits for the next one', async () => {
    const { calls } = await run(
      `c = client()\nfor n in range(2): c.get("/nations/{id}", id=n)`,
      (res, req) =>
        json({ data: {} }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() })(res, req),
      good,
    )
    const secondLater = Math.floor((calls[0]?.at ?? 0) / 1000 + 1) * 1000
    assert.ok((calls[1]?.at ?? 0) >= secondLater - 20, JSON.stringify(calls.map(({ at }) => at)))
  })

  test('a window is measured by the clock of the server', async () => {
    const { told } = await run(
      `
waits = []
chancery.time.sleep = waits.append
c = client()
for n in range(2): c.get("/nations/{id}", id=n)
tell(waits)`,
      json(
        { data: {} },
        {
          date: 'Wed, 27 May 2026 18:00:00 GMT',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Date.UTC(2026, 4, 27, 18, 0, 40) / 1000),
        },
      ),
      good,
    )
    const [wait = 0] = told[0] as number[]
    assert.ok(wait > 39 && wait <= 40, `${wait} s`)
  })

  test('a window without end is waited for no longer than any other wait', async () => {
    const { told } = await run(
      `
waits = []
chancery.time.sleep = waits.append
c = client(wait_max=7)
for n in range(2): c.get("/nations/{id}", id=n)
tell(waits)`,
      json({ data: {} }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999999' }),
    )
    assert.deepEqual(told, [[7]])
  })

  test('a list is walked to its end, and what moved down a page comes once', async () => {
    const { told, calls } = await run(
      `tell([item["id"] for item in client().iterate("/wars", status="active", limit=2)])`,
      page([{ id: 'w5' }, { id: 'w4' }], 1, 3),
      page([{ id: 'w4' }, { id: 'w3' }], 2, 3),
      page([{ id: 'w2' }], 3, 3),
    )
    assert.deepEqual(told, [['w5', 'w4', 'w3', 'w2']])
    assert.deepEqual(
      calls.map(({ target }) => target.slice(7)),
      [1, 2, 3].map(number => `/wars?limit=2&page=${number}&status=active`),
    )
  })

  test('a list that shrank ends where it is empty', async () => {
    const { told, calls } = await run(
      `tell(list(client().iterate("/market/price")))`,
      page([{ resource: 'food' }], 1, 9),
      page([], 2, 9),
    )
    assert.deepEqual([told, calls.length], [[[{ resource: 'food' }]], 2])
  })

  test('iterating what is no list says so', async () => {
    for (const answer of [good, json({ data: [1] }), json({ data: [] }), json({})]) {
      const { told } = await run(`tell(fails(lambda: list(client().iterate("/nations/n1"))))`, answer)
      assert.deepEqual(told, [['unexpected_answer', 200, null, null]])
    }
  })

  for (const [what, answer] of Object.entries<Answer>({
    'an answer that is cut off': cutOff,
    'a connection that ends': hangUp,
    '503': refusal(503, 'unavailable', { 'retry-after': '0' }),
    '429': refusal(429, 'rate_limited', { 'retry-after': '0' }),
    '500': refusal(500, 'internal_error'),
    '200 without an identity': json({ data: { verified: 'true' } }),
  })) {
    test(`a code is sent once, also after ${what}`, async () => {
      const { told, calls } = await run(
        `
c = client()
c.get("/eras")
error = None
try:
    c.verify("K7PWM3XQ9T", account="user:42")
except ChanceryError as caught:
    error = caught
tell(str(error) + repr(error))`,
        good,
        answer,
      )
      assert.deepEqual(
        calls.map(({ target, connection }) => [target.slice(7), connection]),
        [
          ['/eras', 1],
          ['/discord/verify/K7PWM3XQ9T?for=user%3A42', 2],
        ],
      )
      assert.doesNotMatch(String(told[0]), /K7PWM3XQ9T|^None/)
    })
  }

  test('neither an error nor a log line holds the key or a code', async () => {
    const { told } = await run(
      `
import io, logging
lines = io.StringIO()
logging.basicConfig(stream=lines, level=logging.DEBUG)
c = client(api_key="chk_of_a_test", retries=1)
for call in (lambda: c.get("/eras"), lambda: c.verify("K7PWM3XQ9T")):
    try:
        call()
    except ChanceryError as error:
        lines.write(repr(error) + str(error))
try:
    Chancery("http://127.0.0.1", api_key="chk_of_a_test\\n")
except ValueError as error:
    lines.write(str(error))
tell(lines.getvalue())`,
      hangUp,
    )
    assert.match(String(told[0]), /trying again/)
    assert.doesNotMatch(String(told[0]), /chk_of|K7PW/)
  })

  test('what cannot be asked is refused before it is asked', async () => {
    const { told, calls } = await run(
      `
def refused(call):
    try:
        call()
    except ValueError as error:
        return str(error)
c = client()
tell([refused(lambda: Chancery(url)) is not None for url in ("game.example", "ftp://game.example", "https://", "https://a:b@game.example", "https://game.example?x=1")])
tell([refused(lambda: c.get(path)) is not None for path in ("nations", "/nations?page=2", "/nations#a", "/nations/{id}")])
tell([refused(lambda: c.get("/nations/{id}", id="")) is not None, refused(lambda: c.verify("  ")) is not None])
tell([refused(lambda: c.get("/nations", alliance_id=empty)) is not None for empty in ([], (), set())])`,
      good,
    )
    assert.deepEqual([told.flat().every(is => is === true), told.flat().length, calls.length], [true, 14, 0])
  })
})
