import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  apiError,
  cutOff,
  hangUp,
  html,
  json,
  page,
  type Responder,
  runWith,
  startServer,
} from './canned-server.ts'
import { runPython, withPython } from './python.ts'

const good = json({ data: { id: 'n1' } })
const read = `report(client().get("/nations/{id}", id="n1"))`
const soon = () => String(Math.floor(Date.now() / 1000) + 1)

describe('chancery.py against canned responses', withPython, () => {
  test('a request goes to the canonical base, with the key only in its header', async () => {
    const { results, requests } = await runWith(
      `
c = client(api_key="chk_of_a_test", user_agent="bot/1 (+https://bot.example)")
report(c.get("/nations/{id}", id="a/b?c#d é"))
c.get("/nations", search="ar & more", ids=["n1", "n2"], status=None, page=2)
c.get("/nations", ids=[])
Chancery(os.environ["CHANCERY_URL"] + "/api/public/v1/").get("/eras")`,
      good,
    )
    assert.deepEqual(results, [{ data: { id: 'n1' } }])
    assert.deepEqual(
      requests.map(({ target }) => target),
      [
        '/api/v1/nations/a%2Fb%3Fc%23d%20%C3%A9',
        '/api/v1/nations?search=ar+%26+more&ids=n1%2Cn2&page=2',
        '/api/v1/nations?ids=',
        '/api/public/v1/eras',
      ],
    )
    assert.equal(requests[0]?.headers.authorization, 'Bearer chk_of_a_test')
    assert.equal(requests[0]?.headers['user-agent'], 'bot/1 (+https://bot.example)')
    assert.equal(requests[3]?.headers.authorization, undefined)
  })

  test('consecutive requests share a connection', async () => {
    const { requests } = await runWith(
      `c = client()\nfor n in range(3): c.get("/nations/{id}", id=f"n{n}")\nc.close()`,
      good,
    )
    assert.equal(requests.map(({ connection }) => connection).join(), '1,1,1')
  })

  test('an idle connection that was closed is reopened without an error', async () => {
    const { results, requests } = await runWith(
      `c = client(retries=0)\nc.get("/eras")\nreport(c.get("/nations/{id}", id="n1"))`,
      good,
      hangUp,
      good,
    )
    assert.deepEqual([results, requests.length], [[{ data: { id: 'n1' } }], 3])
  })

  for (const [what, fault] of Object.entries<Responder>({
    'a connection closed without a response': hangUp,
    'an incomplete body': cutOff,
    'an incomplete gzip body': res =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":{}}').subarray(0, 15)),
    '500': apiError(500, 'internal_error'),
    '502 with HTML': html(502),
    '503 without retry-after': apiError(503, 'unavailable'),
    '429 without retry-after': apiError(429, 'rate_limited'),
    '408': apiError(408, 'request_timeout'),
  })) {
    test(`${what} is retried`, async () => {
      const { results, requests } = await runWith(read, fault, fault, good)
      assert.deepEqual([results, requests.length], [[{ data: { id: 'n1' } }], 3])
    })

    test(`${what} is raised after the given number of retries`, async () => {
      const { results, requests } = await runWith(
        `report(fails(lambda: client(retries=2).get("/nations/{id}", id="n1"))[0])`,
        fault,
      )
      assert.equal(requests.length, 3)
      assert.match(
        String(results[0]),
        /^(network_error|internal_error|unexpected_response|unavailable|rate_limited|request_timeout)$/,
      )
    })
  }

  for (const [what, response, expected] of [
    ['400', apiError(400, 'invalid_parameter'), ['invalid_parameter', 400, 'req_of_a_test', null]],
    ['401', apiError(401, 'invalid_api_key'), ['invalid_api_key', 401, 'req_of_a_test', null]],
    ['404', apiError(404, 'not_found'), ['not_found', 404, 'req_of_a_test', null]],
    ['404 with HTML', html(404), ['unexpected_response', 404, null, null]],
    ['200 with HTML', html(200), ['unexpected_response', 200, null, null]],
    ['200 with a list', json([]), ['unexpected_response', 200, null, null]],
    [
      '200 with too deeply nested JSON',
      (res => res.end('['.repeat(200_000))) as Responder,
      ['unexpected_response', 200, null, null],
    ],
    ['an error of another format', json({ error: 'no' }, {}, 403), ['unexpected_response', 403, null, null]],
    [
      '304 without a conditional request',
      (res => res.writeHead(304).end()) as Responder,
      ['unexpected_response', 304, null, null],
    ],
    [
      'a retry-after of an hour',
      apiError(503, 'unavailable', { 'retry-after': '3600' }),
      ['unavailable', 503, 'req_of_a_test', 3600],
    ],
    [
      'a content-encoding of gzip without gzip',
      (res => res.writeHead(200, { 'content-encoding': 'gzip' }).end('{}')) as Responder,
      ['unexpected_response', 200, null, null],
    ],
  ] as [string, Responder, unknown[]][]) {
    test(`${what} is raised without a retry`, async () => {
      const { results, requests } = await runWith(
        `report(fails(lambda: client().get("/nations/{id}", id="n1")))`,
        response,
      )
      assert.deepEqual([results[0], requests.length], [expected, 1])
    })
  }

  test('a redirect is not followed, so that the key reaches no other host', async () => {
    const elsewhere = await startServer(good)
    const { results } = await runWith(
      `report(fails(lambda: client(api_key="chk_of_a_test").get("/nations/{id}", id="n1")))`,
      res => res.writeHead(302, { location: `${elsewhere.url}/api/v1/nations/n1` }).end(),
    )
    await elsewhere.close()
    assert.deepEqual([results[0], elsewhere.requests.length], [['unexpected_response', 302, null, null], 0])
  })

  for (const status of [429, 503]) {
    for (const form of ['seconds', 'a date']) {
      test(`${status} waits for retry-after, given as ${form}`, async () => {
        const { requests } = await runWith(
          read,
          (res, req) =>
            apiError(status, 'wait', {
              'retry-after': form === 'seconds' ? '1' : new Date(Date.now() + 2000).toUTCString(),
            })(res, req),
          good,
        )
        const waitedMs = (requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)
        assert.ok(waitedMs >= 950 && waitedMs < 5000, `${waitedMs} ms`)
      })
    }
  }

  test('waits between retries grow to a maximum, with jitter', async () => {
    const { results } = await runWith(
      `
waits = []
chancery.time.sleep = waits.append
c = client(wait_seconds=1, wait_max=5, retries=6)
for _ in range(4): fails(lambda: c.get("/eras"))
report(waits)`,
      apiError(500, 'internal_error'),
    )
    const waits = results[0] as number[]
    assert.equal(waits.length, 24)
    const bounds = [1, 2, 4, 5, 5, 5]
    waits.forEach((wait, index) => {
      const most = bounds[index % 6] ?? 0
      assert.ok(wait >= most / 2 && wait <= most, `wait ${index} is ${wait}`)
    })
    assert.equal(new Set(waits).size, 24)
  })

  for (const [what, drip] of Object.entries<Responder>({
    'that sends nothing': () => {},
    'that sends its body slowly': res => {
      res.writeHead(200, { 'content-length': '100000' })
      const timer = setInterval(() => res.write(' '), 30)
      res.on('close', () => clearInterval(timer))
    },
    'that sends its headers slowly': res => {
      res.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const timer = setInterval(() => res.socket?.write('x'), 30)
      res.on('close', () => clearInterval(timer))
    },
  })) {
    test(`a server ${what} is a network_error after the timeout`, async () => {
      const { results } = await runWith(
        `
began = time.monotonic()
error = fails(lambda: client(timeout=0.4, retries=0).get("/eras"))
report([error[0], time.monotonic() - began])`,
        drip,
      )
      const [code, seconds] = results[0] as [string, number]
      assert.equal(code, 'network_error')
      assert.ok(seconds >= 0.35 && seconds < 2, `${seconds} s`)
    })
  }

  test('a refused connection is network_error', async () => {
    const closed = await startServer(good)
    await closed.close()
    const results = await runPython(`report(fails(lambda: client(retries=1).get("/eras")))`, {
      url: closed.url,
    })
    assert.deepEqual(results, [['network_error', null, null, null]])
  })

  test('a response that decompresses to more than the limit is rejected before it is in memory', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576))
    const { results } = await runWith(
      `
import resource
report(fails(lambda: client().get("/eras")))
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
report(most // 1024 if sys.platform == "darwin" else most)`,
      res => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    assert.deepEqual(results[0], ['unexpected_response', 200, null, null])
    assert.ok(Number(results[1]) < 150_000, `${results[1]} KiB`)
  })

  test('a gzip response is decompressed', async () => {
    const { results, requests } = await runWith(read, (res, req) => {
      assert.match(String(req.headers['accept-encoding']), /gzip/)
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"data":"Côte d’Azur 北"}'))
    })
    assert.deepEqual([results, requests.length], [[{ data: 'Côte d’Azur 北' }], 1])
  })

  test('a response is cached as long as cache-control allows, and revalidated by its ETag', async () => {
    const cacheable = json({ data: { id: 'n1' } }, { etag: '"one"', 'cache-control': 'private, max-age=60' })
    const revalidated = json(
      { data: ['e'] },
      { etag: '"two"', 'cache-control': 'private, no-cache, max-age=60' },
    )
    const uncacheable = json({ data: 'mine' }, { etag: '"three"', 'cache-control': 'no-store' })
    const { results, requests } = await runWith(
      `
c = client()
for _ in range(3): c.get("/nations/{id}", id="n1")["data"]["id"] = "changed by the caller"
report(c.get("/nations/{id}", id="n1"))
for _ in range(2): c.get("/nations/{id}", id="n2")
for _ in range(2): report(c.get("/events"))
for _ in range(2): c.get("/me/nation")
later = time.monotonic() + 61
chancery.time.monotonic = lambda: later
report(c.get("/nations/{id}", id="n1"))`,
      cacheable,
      cacheable,
      revalidated,
      res => res.writeHead(304, { etag: '"two"', 'cache-control': 'private, no-cache' }).end(),
      uncacheable,
      uncacheable,
      res => res.writeHead(304, { etag: '"one"', 'cache-control': 'private, max-age=60' }).end(),
    )
    assert.deepEqual(results, [
      { data: { id: 'n1' } },
      { data: ['e'] },
      { data: ['e'] },
      { data: { id: 'n1' } },
    ])
    assert.deepEqual(
      requests.map(({ target, headers }) => [target.slice(7), headers['if-none-match']]),
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

  test('the cache is bounded in bytes', async () => {
    const { results } = await runWith(
      `
c = client()
for n in range(40): c.get("/nations/{id}", id=n)
report([c._cache._bytes, len(c._cache._entries)])`,
      json({ data: 'x'.repeat(1_048_576) }, { etag: '"one"', 'cache-control': 'private, max-age=60' }),
    )
    const [bytes, count] = results[0] as [number, number]
    assert.ok(bytes <= 16 * 1_048_576 && count === 15, `${bytes} bytes, ${count} responses`)
  })

  test('with no requests left it waits for the next window', async () => {
    const { requests } = await runWith(
      `c = client()\nfor n in range(2): c.get("/nations/{id}", id=n)`,
      (res, req) =>
        json({ data: {} }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() })(res, req),
      good,
    )
    const secondLater = Math.floor((requests[0]?.at ?? 0) / 1000 + 1) * 1000
    assert.ok((requests[1]?.at ?? 0) >= secondLater - 20, JSON.stringify(requests.map(({ at }) => at)))
  })

  test('the reset of a window is measured by the clock of the server', async () => {
    const { results } = await runWith(
      `
waits = []
chancery.time.sleep = waits.append
c = client()
for n in range(2): c.get("/nations/{id}", id=n)
report(waits)`,
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
    const [wait = 0] = results[0] as number[]
    assert.ok(wait > 39 && wait <= 40, `${wait} s`)
  })

  test('a wait for the next window is bounded by wait_max', async () => {
    const { results } = await runWith(
      `
waits = []
chancery.time.sleep = waits.append
c = client(wait_max=7)
for n in range(2): c.get("/nations/{id}", id=n)
report(waits)`,
      json({ data: {} }, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999999' }),
    )
    assert.deepEqual(results, [[7]])
  })

  test('a list is read to its end, and an item that moved to the next page is returned once', async () => {
    const { results, targets } = await runWith(
      `report([item["id"] for item in client().iterate("/wars", status="active", limit=2)])`,
      page([{ id: 'w5' }, { id: 'w4' }], 1, 3),
      page([{ id: 'w4' }, { id: 'w3' }], 2, 3),
      page([{ id: 'w2' }], 3, 3),
    )
    assert.deepEqual(results, [['w5', 'w4', 'w3', 'w2']])
    const expected = [1, 2, 3].map(number => `/wars?limit=2&page=${number}&status=active`)
    assert.deepEqual(targets, expected)
  })

  test('a list that shrank ends at an empty page', async () => {
    const { results, requests } = await runWith(
      `report(list(client().iterate("/market/price")))`,
      page([{ resource: 'food' }], 1, 9),
      page([], 2, 9),
    )
    assert.deepEqual([results, requests.length], [[[{ resource: 'food' }]], 2])
  })

  test('iterating a response that is not a list is an error', async () => {
    for (const response of [good, json({ data: [1] }), json({ data: [] }), json({})]) {
      const { results } = await runWith(
        `report(fails(lambda: list(client().iterate("/nations/n1"))))`,
        response,
      )
      assert.deepEqual(results, [['unexpected_response', 200, null, null]])
    }
  })

  for (const [what, response] of Object.entries<Responder>({
    'an incomplete response': cutOff,
    'a closed connection': hangUp,
    '503': apiError(503, 'unavailable', { 'retry-after': '0' }),
    '429': apiError(429, 'rate_limited', { 'retry-after': '0' }),
    '500': apiError(500, 'internal_error'),
    '200 without an identity': json({ data: { verified: 'true' } }),
  })) {
    test(`a code is sent once, also after ${what}`, async () => {
      const { results, requests } = await runWith(
        `
c = client()
c.get("/eras")
error = None
try:
    c.verify("K7PWM3XQ9T", account="user:42")
except ChanceryError as caught:
    error = caught
report(str(error) + repr(error))`,
        good,
        response,
      )
      assert.deepEqual(
        requests.map(({ target, connection }) => [target.slice(7), connection]),
        [
          ['/eras', 1],
          ['/discord/verify/K7PWM3XQ9T?for=user%3A42', 2],
        ],
      )
      assert.doesNotMatch(String(results[0]), /K7PWM3XQ9T|^None/)
    })
  }

  test('neither an error nor a log line contains the key or a code', async () => {
    const { results } = await runWith(
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
report(lines.getvalue())`,
      hangUp,
    )
    assert.match(String(results[0]), /retrying/)
    assert.doesNotMatch(String(results[0]), /chk_of|K7PW/)
  })

  test('invalid arguments are rejected without a request', async () => {
    const { results, requests } = await runWith(
      `
def error_of(call):
    try:
        call()
    except ValueError as error:
        return str(error)
c = client()
report([error_of(lambda: Chancery(url)) is not None for url in ("game.example", "ftp://game.example", "https://", "https://a:b@game.example", "https://game.example?x=1")])
report([error_of(lambda: c.get(path)) is not None for path in ("nations", "/nations?page=2", "/nations#a", "/nations/{id}")])
report([error_of(lambda: c.get("/nations/{id}", id="")) is not None, error_of(lambda: c.verify("  ")) is not None])
report([error_of(lambda: c.get("/nations", alliance_id=empty)) is not None for empty in ([], (), set())])`,
      good,
    )
    assert.deepEqual(
      [results.flat().every(is => is === true), results.flat().length, requests.length],
      [true, 14, 0],
    )
  })
})
