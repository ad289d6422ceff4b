import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  bases,
  contractFor,
  demoProfile,
  type Operation,
  operations,
  responseSchema,
  scopeNames,
} from '@chancery/contract'
import { createWorld, demoViewers, linesOf } from '@chancery/simulator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { importDay } from '../../src/resources/history/record-day.ts'
import { put } from '../ingest/facts.ts'
import { prepare, useIngestPool, useTestServer } from '../support/fixture.ts'
import { sendLines } from './raw.ts'
import { assertResponse, lastingHeaders, type ReceivedResponse, readResponse } from './responses.ts'
import { hoursAgo } from './world.ts'

const chancery = useTestServer()
const pool = useIngestPool(chancery)
let key: string
let nationId: string
let paths: Map<string, string[]>

prepare(async () => {
  const world = createWorld({ nations: 60, days: 10, seed: 7, endsAt: '2026-05-27T00:00:00Z' })
  const outcomes = await chancery.send([...world.history()].map(linesOf).join(''))
  assert.ok(outcomes.length > 0 && outcomes.every(({ status }) => status === 'applied'))
  await chancery.ingest([put('market_price', { resource: 'steel', price: 3, as_of: hoursAgo(1) })])
  await importDay(pool, '2026-05-26', world.standings())
  const { leader } = demoViewers(world)
  nationId = leader.nationId
  key = (await chancery.makeKey({ player_id: leader.playerId }, scopeNames)).key
  paths = await pathsOfWorld()
})

interface Listed {
  data: { id: string; battles_count?: number }[]
}

/** Valid and invalid requests of every operation. */
async function pathsOfWorld(): Promise<Map<string, string[]>> {
  const idsOf = async (path: string) => (await chancery.read<Listed>(path)).data
  const [alliance] = await idsOf('/alliances')
  const [battle] = await idsOf('/battles')
  const [treaty] = await idsOf('/treaties')
  const war = (await idsOf('/wars')).find(({ battles_count }) => (battles_count ?? 0) > 0)
  assert.ok(alliance && treaty && war && battle)
  const ids: Record<string, string> = {
    nations: nationId,
    alliances: alliance.id,
    treaties: treaty.id,
    wars: war.id,
    battles: battle.id,
  }
  const variants: Record<string, string[]> = {
    'nations.list': ['?search=a&limit=3', '?status=active&min_score=10&page=2', '?limit=0'],
    'nations.get': ['?unknown=1'],
    'alliances.list': ['?search=the', '?ids=none'],
    'alliances.get': ['?include=treasury', '?include=everything'],
    'alliances.members': ['?page=900', '?page=x'],
    'treaties.list': ['?status=ended', `?nation_id=${nationId}`, '?status=over'],
    'wars.list': ['?status=ended', `?nation_id=${nationId}`, '?status=over'],
    'events.list': ['?type=war.*&limit=5', '?after=0', '?after=999999999', '?since=yesterday'],
    'events.stream': ['?type=war.*&after=0', '?after=999999999', '?since=yesterday'],
    'rankings.list': ['?board=alliances', '?board=all'],
    'me.nation': ['?include=military,economy', '?include=all'],
  }
  return new Map(
    Object.values<Operation>(operations).map(operation => {
      const id = ids[operation.path.split('/')[1] ?? '']
      const path = operation.path.replace('{id}', id ?? '{id}').replace('{code}', 'NOSUCHCODE')
      return [operation.id, [path, ...(variants[operation.id] ?? []).map(query => path + query)]]
    }),
  )
}

const pathsOf = (operation: Operation): string[] => paths.get(operation.id) ?? []

/** A body without what differs from request to request. */
const lastingBody = ({ body }: ReceivedResponse) => body.replace(/"request_id":"[^"]*"|"remaining":\d+/, '')

for (const operation of Object.values<Operation>(operations)) {
  test(`${operation.id} returns the same on both bases`, async () => {
    for (const path of pathsOf(operation)) {
      for (const headers of requestHeaders()) {
        const [one, other] = await Promise.all(
          [bases.canonical, bases.mirror].map(async base =>
            readResponse(await fetch(chancery.url + base + path, { headers })),
          ),
        )
        assert.ok(one && other)
        const what = `${path} ${JSON.stringify(Object.keys(headers))}`
        assertResponse(one, what)
        assert.equal(one.status, other.status, what)
        assert.equal(lastingBody(one), lastingBody(other), what)
        assert.deepEqual(sized(one), sized(other), what)
      }
    }
  })

  test(`${operation.id} returns what the contract states, as JSON`, async () => {
    const validate = schemasOf(operation)
    const [path] = pathsOf(operation)
    if (operation.cache === 'stream') return assertStreamed(operation, validate)
    if (operation.id === 'discord.verify') {
      assert.equal((await chancery.get(path ?? '')).status, 404)
      const verified = await chancery.read(`/discord/verify/${await chancery.makeCode(nationId)}`)
      assert.ok(validate(verified))
      return
    }
    const response = await chancery.get(path ?? '', { key, headers: { accept: 'text/html' } })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    const body = (await response.json()) as { data: unknown }
    assert.ok(validate(body), path)
    if (Array.isArray(body.data)) assert.ok(body.data.length > 0, `${path} has something to show`)
  })

  test(`${operation.id} returns the same for HEAD on both bases`, async () => {
    const [path = ''] = pathsOf(operation)
    const seen = await Promise.all(
      Object.values(bases).map(async base => {
        const headers = ['Host: x', `Authorization: Bearer ${key}`]
        const lines = (method: string) => [`${method} ${base + path} HTTP/1.1`, ...headers]
        const response = await sendLines(chancery.url, lines('HEAD'), { isHead: true })
        const got = await sendLines(chancery.url, lines('GET'))
        assertResponse(response, path)
        if (!operation.allowsHead) {
          assert.equal(response.status, 405)
          assert.equal(response.headers.allow, 'GET, OPTIONS')
        } else if (operation.id !== 'me.key') {
          assert.deepEqual([response.status, lastingHeaders(response)], [got.status, lastingHeaders(got)])
        }
        return [response.status, lastingHeaders(response)]
      }),
    )
    assert.deepEqual(seen[0], seen[1])
  })
}

/** Asserts that each event of a stream has the schema of the contract. */
async function assertStreamed({ path }: Operation, validate: ReturnType<typeof schemasOf>): Promise<void> {
  const { headers, body } = await readResponse(
    await chancery.get(`${path}?after=${path === '/changes/stream' ? 1 : 0}`, {
      headers: { accept: 'application/json' },
    }),
  )
  assert.equal(headers['content-type'], 'text/event-stream')
  const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown)
  assert.ok(events.length > 100)
  for (const event of events) assert.ok(validate({ data: event }), JSON.stringify(event))
}

test('a compressed body decompresses to the plain body', async () => {
  const path = '/nations?limit=100'
  const plain = await readResponse(await chancery.get(path, { headers: { 'accept-encoding': 'identity' } }))
  const { headers, bytes } = await sendLines(chancery.url, [
    `GET ${bases.mirror}${path} HTTP/1.1`,
    'Host: x',
    'Accept-Encoding: gzip',
  ])
  assert.equal(headers['content-encoding'], 'gzip')
  assert.ok(bytes.length < plain.body.length / 2)
  assert.equal(gunzipSync(bytes).toString(), plain.body)
})

/** Request headers: without a key, with one, for a compressed body and conditional. */
const requestHeaders = (): Record<string, string>[] => [
  { 'accept-encoding': 'identity' },
  { 'accept-encoding': 'identity', authorization: `Bearer ${key}` },
  { 'accept-encoding': 'gzip' },
  { 'if-none-match': '*' },
]

/** The number of remaining requests has more or fewer digits. */
const sized = (response: ReceivedResponse) => {
  const { 'content-length': _, ...headers } = lastingHeaders(response)
  return headers
}

function schemasOf(operation: Operation) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const contract = contractFor(demoProfile)
  const [first] = operation.returns.resources
  return ajv.compile(responseSchema(contract, operation, first))
}
