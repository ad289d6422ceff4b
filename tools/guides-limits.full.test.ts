/** The guide to limits and caching is true, and its programs run in all three languages. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errors, limits, scopeNames } from '@chancery/contract'
import { apiError, json, withServer } from '../examples/python/test/canned-server.ts'
import { sendRaw } from '../server/test/http/raw.ts'
import { everyOperation, playerOf, smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { markedBlock, needs, readGuide, runBlock, tableRows } from './guides/guide.ts'

const guide = await readGuide('limits-and-caching')

let chancery: TestServer
before(async () => {
  chancery = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls * 10) })
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

const names = async (path: string) => {
  const { data } = await chancery.read<{ data: { rank: number; nation: { nation_name: string } }[] }>(path)
  return data.map(({ rank, nation }) => `${rank} ${nation.nation_name}`)
}
/** Requests left without a key. OPTIONS consumes none. */
const remaining = async () =>
  Number(
    (await fetch(`${chancery.url}/api/v1/eras`, { method: 'OPTIONS' })).headers.get('x-ratelimit-remaining'),
  )

test('the limits are those of the contract', () => {
  const [calls, streams, items, ids] = tableRows(markedBlock(guide, 'limits'))
  assert.match(calls?.[0] ?? '', RegExp(` ${limits.windowSeconds} seconds`))
  assert.match(calls?.[1] ?? '', RegExp(`^${limits.anonymousCalls} `))
  assert.match(calls?.[2] ?? '', RegExp(`^${limits.keyCalls},`))
  assert.deepEqual(streams?.slice(1), [String(limits.streamsPerAddress), String(limits.streamsPerKey)])
  assert.equal(
    items?.[1],
    `${limits.pageSizeMin} to ${limits.pageSizeMax}, default ${limits.pageSizeDefault}`,
  )
  assert.equal(ids?.[1], String(limits.idsMax))
})

test('what counts as a request does, and nothing else', async () => {
  const api = `${chancery.url}/api/v1`
  const etag = (await fetch(`${api}/nations`)).headers.get('etag') ?? ''
  const counting: Record<string, () => Promise<number>> = {
    '304': async () => (await fetch(`${api}/nations`, { headers: { 'if-none-match': etag } })).status,
    '404': async () => (await fetch(`${api}/nations/unknown`)).status,
    HEAD: async () => (await fetch(`${api}/nations`, { method: 'HEAD' })).status,
    'a stream': async () => {
      const abort = new AbortController()
      const { status } = await fetch(`${api}/events/stream`, { signal: abort.signal })
      abort.abort()
      return status
    },
    'a wrong key': async () => (await fetch(api, { headers: { authorization: 'Bearer wrong' } })).status,
  }
  for (const [what, call] of Object.entries(counting)) {
    const before = await remaining()
    const status = await call()
    assert.equal(await remaining(), before - 1, `${what} (${status})`)
  }
  const before = await remaining()
  for (const [lines, status] of [
    [['GET /api/v1/nations HTTP/1.1'], errors.bad_request.status],
    [['GET /api/v1/nations HTTP/1.1', 'Host: a', 'Expect: something'], errors.expectation_failed.status],
    [[`GET /api/v1/nations?${'a'.repeat(17_000)} HTTP/1.1`, 'Host: a'], errors.headers_too_large.status],
  ] as const) {
    const { responses } = await sendRaw(chancery.url, `${lines.join('\r\n')}\r\n\r\n`)
    assert.equal(responses[0]?.status, status)
  }
  assert.equal(await remaining(), before)
})

test('every operation has the cache-control of the guide', async () => {
  const [shared, fresh, never] = tableRows(markedBlock(guide, 'kinds'))
  const control = ([cell = '']: string[] = []) => cell.replaceAll('`', '')
  const isNamed = (path: string, [, cell = '']: string[] = []) =>
    [...cell.matchAll(/`([^`]+)`/g)].some(([, name = '']) =>
      name.endsWith('…')
        ? path.startsWith(name.slice(0, -1))
        : name.startsWith('/')
          ? path === name
          : path.includes(name),
    )
  const { key } = await chancery.makeKey({ player_id: playerOf('n1') }, scopeNames)
  const paths = [
    ...everyOperation.map(({ path }) => path.replace('NOSUCHCODE', 'CODE')),
    '/alliances/a1?include=treasury',
    '/nations/unknown',
  ]
  for (const path of paths) {
    const code = path.includes('CODE') ? await chancery.makeCode('n2') : ''
    const response = await chancery.get(path.replace('CODE', code), { key })
    const row = response.ok ? [never, fresh].find(row => isNamed(path, row)) : never
    assert.equal(response.headers.get('cache-control'), control(row ?? shared), path)
    await response.body?.cancel()
  }
})

describe('with curl', needs('curl'), () => {
  test('the headers are those of the guide', async () => {
    const small = await startTestServer({ CHANCERY_ANONYMOUS_LIMIT: String(limits.anonymousCalls) })
    try {
      const printed = await runBlock(guide, 'headers.sh', { url: small.url })
      const withoutTimes = (text: string) =>
        text.replaceAll('\r', '').replace(/reset: \d{10}\n/, 'reset: n\n')
      assert.equal(withoutTimes(printed), withoutTimes(markedBlock(guide, 'headers')))
    } finally {
      await small.close()
    }
  })

  test('a response that has not changed is 304', async () => {
    assert.equal(await runBlock(guide, 'etag.sh', { url: chancery.url }), '304\n')
  })
})

test('the client prints the ranking twice for one request', async () => {
  const lines = await names('/rankings?limit=3')
  const before = await remaining()
  const printed = await runBlock(guide, 'client.mjs', { url: chancery.url })
  assert.deepEqual(printed.trim().split('\n'), [...lines, ...lines])
  assert.equal(await remaining(), before - 1)
})

for (const [language, condition] of [
  ['mjs', {}],
  ['py', needs('python3')],
] as const) {
  describe(`read.${language}`, condition, () => {
    const read = (url: string, env = {}) => runBlock(guide, `read.${language}`, { url, env })

    test('prints the ranking twice for one request', async () => {
      const lines = await names('/rankings?limit=3')
      assert.equal(lines[0], '1 Valdoria')
      const before = await remaining()
      assert.deepEqual((await read(chancery.url)).trim().split('\n'), [...lines, ...lines])
      assert.equal(await remaining(), before - 1)
    })

    test('waits for retry-after, revalidates with the ETag, and sends the key', async () => {
      const body = { data: [{ rank: 1, nation: { nation_name: 'Valdoria' } }] }
      const again = { etag: '"one"', 'cache-control': 'private, no-cache' }
      const limited = apiError(429, 'rate_limited', { 'retry-after': '1' })
      await withServer([limited, json(body, again), res => res.writeHead(304, again).end()], async api => {
        const printed = await read(api.url, { CHANCERY_KEY: 'chk_of_a_test' })
        assert.equal(printed, '1 Valdoria\n1 Valdoria\n')
        assert.deepEqual(
          api.requests.map(({ headers }) => [headers['if-none-match'], headers.authorization]),
          [undefined, undefined, '"one"'].map(etag => [etag, 'Bearer chk_of_a_test']),
        )
        assert.ok((api.requests[1]?.at ?? 0) - (api.requests[0]?.at ?? 0) >= 950)
      })
    })
  })
}
