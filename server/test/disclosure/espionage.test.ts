import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { bases, demoProfile, type Profile, scopeNames } from '@chancery/contract'
import { smallGame } from '../profile/games.ts'
import { type Fact, startTestServer, type TestServer } from '../support/test-server.ts'
import { closeConnections, type Exchange, type RequestOptions, sendRequest } from './exchange.ts'

const secret = '987654321123'
const at = '2026-06-01T00:00:00Z'
const others = ['member', 'applicant', 'enemy', 'outsider']

for (const game of [demoProfile, smallGame]) suite(`in the game ${game.name}`, () => testEspionage(game))

after(closeConnections)

function testEspionage(profile: Profile) {
  const rank = (tier: string) => profile.ranks.find(known => known.tier === tier)?.key ?? ''
  let chancery: TestServer
  const keys: Record<string, string> = {}

  before(async () => {
    chancery = await startTestServer({}, { profile })
    await ingest(
      put('alliance', { id: 'a1', name: 'Pact', treasury: { credits: Number(secret) } }),
      put('alliance', { id: 'a2', name: 'Poor' }),
      ...['officer', 'member', 'applicant', 'enemy'].map(name =>
        put('nation', {
          id: name,
          nation_name: name,
          player: `p_${name}`,
          economy: { credits: Number(secret) },
        }),
      ),
      member('officer', 'a1', 'officer'),
      member('member', 'a1', 'member'),
      member('enemy', 'a2', 'leader'),
      put('alliance_application', { nation_id: 'applicant', alliance_id: 'a1' }),
    )
    for (const name of ['officer', ...others]) {
      keys[name] = (await chancery.makeKey({ player_id: `p_${name}` }, scopeNames)).key
    }
  })
  after(() => chancery.close())

  const put = (resource: string, data: Fact): Fact => ({ op: 'put', resource, data, at })
  const member = (nation_id: string, alliance_id: string, tier: string, more: Fact = {}) =>
    put('alliance_member', { nation_id, alliance_id, rank: rank(tier), ...more })
  // What is private does not wait for ranks.
  const ingest = (...facts: Fact[]) => chancery.ingest(facts, { waits: false })

  const treasury = '/alliances/a1?include=treasury'
  const keyOf = (name?: string) => (name === undefined ? undefined : keys[name])
  const get = (path: string, name?: string, options: RequestOptions = {}): Promise<Exchange> =>
    sendRequest(chancery.url, bases.canonical + path, { key: keyOf(name), ...options })

  /** Equivalent spellings of a URL, or nearly. */
  const spellings = [
    treasury,
    '/alliances/%611?include=treasury',
    '/alliances/a1?%69nclude=treasury',
    '/alliances/a1?include=%74reasury',
    '/alliances/a1?include=treasury&',
    '/alliances/a1?&include=treasury',
    '/alliances/a1?include=treasury,treasury',
    '/alliances/a1?x=1&include=treasury',
    '/alliances/a1?include=treasury#x',
    '/alliances/a1?include=&include=treasury',
    '/alliances/a1?Include=treasury',
    '/alliances/a1?include',
    '/alliances/a1;include=treasury',
    '/alliances/a1/?include=treasury',
    '/alliances//a1?include=treasury',
  ]

  for (const spelling of spellings) {
    test(`${spelling} never discloses the treasury to others`, async () => {
      for (const name of ['officer', ...others, undefined, 'officer', undefined]) {
        const { status, headers, body } = await get(spelling, name)
        assert.ok(status < 500)
        if (name === 'officer' && body.includes(secret)) {
          assert.equal(headers['cache-control'], 'no-store')
          assert.equal(headers.etag, undefined)
        } else assert.ok(!body.includes(secret), `${name} ${status}`)
      }
    })
  }

  test('an officer sees the treasury, so that the tests beside this one can fail', async () => {
    assert.ok((await get(treasury, 'officer')).body.includes(secret))
  })

  test('simultaneous requests to one URL each get the response of their viewer', async () => {
    const names = ['officer', undefined, 'outsider', 'officer', 'member', undefined]
    const responses = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const name = names[index % names.length]
        return { name, ...(await get(treasury, name)) }
      }),
    )
    const statuses: Record<string, number> = { officer: 200, member: 403, outsider: 403 }
    for (const { name, status, body } of responses) {
      assert.equal(status, name === undefined ? 401 : statuses[name])
      assert.equal(body.includes(secret), name === 'officer')
    }
  })

  test('an ETag, also *, returns no response that the viewer may not have', async () => {
    const { headers } = await get('/alliances/a1')
    for (const tag of ['*', headers.etag ?? '']) {
      const known = { headers: { 'if-none-match': tag } }
      assert.equal((await get(treasury, undefined, known)).status, 401)
      assert.equal((await get(treasury, 'outsider', known)).status, 403)
      assert.equal((await get(treasury, 'officer', known)).status, 200)
      assert.equal((await get('/me/nation', 'officer', known)).status, 200)
    }
  })

  test('HEAD returns the headers of GET to the same viewer', async () => {
    for (const path of [treasury, '/me/nation', '/alliances/a1']) {
      for (const name of ['officer', 'member', 'outsider', undefined]) {
        const whole = await get(path, name)
        const head = await get(path, name, { method: 'HEAD' })
        assert.deepEqual(
          [head.status, head.headers['content-length'], head.headers.etag, head.body],
          [whole.status, whole.headers['content-length'], whole.headers.etag, ''],
        )
      }
    }
  })

  test('a URL with a host in it is the same request, with a response of its own for each viewer', async () => {
    for (const name of ['officer', undefined, 'outsider']) {
      const path = `http://elsewhere${bases.canonical}${treasury}`
      const { status, body } = await sendRequest(chancery.url, path, { key: keyOf(name) })
      assert.equal(status, name === 'officer' ? 200 : name === undefined ? 401 : 403)
      assert.equal(body.includes(secret), name === 'officer')
    }
  })

  test('a key in the URL is not accepted', async () => {
    for (const name of ['key', 'api_key', 'access_token', 'authorization']) {
      assert.equal((await get(`/me/nation?${name}=${keys.officer}`)).status, 401)
    }
  })

  test('the error is the same with and without a secret', async () => {
    const bodyOf = ({ status, body }: Exchange) => [status, body.replace(/req_\w+/, '')]
    const rich = await get(treasury, 'outsider')
    const poor = await get('/alliances/a2?include=treasury', 'outsider')
    assert.deepEqual(bodyOf(rich), bodyOf(poor))
    assert.equal(rich.status, 403)
  })

  test('a missing scope is reported before an unknown alliance', async () => {
    const { key } = await chancery.makeKey({ player_id: 'p_officer' }, ['military.read'])
    for (const id of ['a1', 'unknown']) {
      assert.equal((await get(`/alliances/${id}?include=treasury`, undefined, { key })).status, 403)
    }
  })

  test('a player who is set as leader of another nation loses the secrets of the first, also within one batch', async () => {
    const names = ['zeta', 'alpha']
    for (const [first, second] of [names, names.toReversed()]) {
      await ingest(
        ...names.map(id => put('nation', { id, nation_name: id, economy: { credits: 5 }, player: null })),
        put('nation', { id: first, player: 'p_double' }),
        put('nation', { id: second, player: 'p_double' }),
      )
      const { key } = await chancery.makeKey({ player_id: 'p_double' }, scopeNames)
      const { data } = await chancery.read<{ data: { id: string } }>('/me/nation', { key })
      assert.equal(data.id, second)
    }
  })

  const own = profile.attributes.nation.filter(attribute => attribute.class === 'player_private')

  test('a nation that is deleted and made again under its id has none of its old secrets', async () => {
    const make = put('nation', { id: 'phoenix', nation_name: 'Phoenix', player: 'p_phoenix' })
    const secrets = {
      economy: { credits: Number(secret) },
      attributes: Object.fromEntries(own.map(({ key, example }) => [key, example])),
      military: { readiness: 5 },
    }
    await ingest(make, put('nation', { id: 'phoenix', ...secrets }))
    const { key } = await chancery.makeKey({ player_id: 'p_phoenix' }, scopeNames)
    const read = () => get('/me/nation', undefined, { key })
    assert.ok((await read()).body.includes(secret))
    await ingest({ op: 'delete', resource: 'nation', id: 'phoenix', at })
    assert.equal((await read()).status, 404)
    await ingest(make)
    assert.match(
      (await read()).body,
      /"attributes":\{\},"military":null,"economy":null,"production":null,"assignments":null/,
    )
    await ingest(put('nation', { id: 'phoenix', ...secrets }))
    await ingest({ op: 'delete', resource: 'nation', id: 'phoenix', at }, make)
    assert.ok(!(await read()).body.includes(secret), 'within one batch')
  })

  test('an alliance that is founded again under its id has none of its old treasury', async () => {
    const found = put('alliance', { id: 'a_again', name: 'Again' })
    await ingest(found, put('alliance', { id: 'a_again', treasury: { credits: Number(secret) } }))
    await ingest(
      { op: 'delete', resource: 'alliance', id: 'a_again', at },
      found,
      member('member', 'a_again', 'leader'),
    )
    const { status, body } = await get('/alliances/a_again?include=treasury', 'member')
    assert.equal(status, 200)
    assert.match(body, /"treasury":null/)
  })

  test('a cached body is not sent to a revoked key', async () => {
    const { id, key } = await chancery.makeKey({ player_id: 'p_spy' })
    assert.equal((await chancery.get('/nations', { key })).status, 200)
    await chancery.operate('POST', `/keys/${id}/revoke`)
    assert.equal((await get('/nations')).status, 200)
    assert.equal((await chancery.get('/nations', { key })).status, 401)
  })

  test('the requests of one viewer do not show in the headers of another', async () => {
    const remaining = async (name?: string) =>
      Number((await get('/nations', name)).headers['x-ratelimit-remaining'])
    const outsider = await remaining('outsider')
    const anonymous = await remaining()
    for (let call = 0; call < 5; call += 1) await get(treasury, 'officer')
    assert.equal(await remaining('outsider'), outsider - 1)
    assert.equal(await remaining(), anonymous - 1)
  })

  test('a code is invalid after its nation changed hands', async () => {
    await ingest(put('nation', { id: 'booty', nation_name: 'Booty', player: 'p_before' }))
    const code = await chancery.makeCode('booty')
    await ingest(put('nation', { id: 'booty', player: 'p_after' }))
    assert.equal((await get(`/discord/verify/${code}`)).status, 404)
  })

  test('the number of preceding secrets in a batch does not change the alliance name in an event', async () => {
    const summaries = await Promise.all(
      [0, 2_499].map(async (count, index) => {
        const [gone, renamed] = [`gone_${index}`, `renamed_${index}`]
        await ingest(
          put('alliance', { id: gone, name: 'Gone' }),
          put('alliance', { id: renamed, name: 'Old' }),
          put('treaty', {
            id: `treaty_${index}`,
            alliance_ids: [gone, renamed],
            type: profile.treaty_types[0]?.key,
          }),
        )
        await ingest(
          ...Array.from({ length: count }, (_, credits) =>
            put('alliance', { id: renamed, treasury: { credits } }),
          ),
          { op: 'delete', resource: 'alliance', id: gone, at },
          put('alliance', { id: renamed, name: 'New' }),
        )
        const path = `/events?type=treaty.ended&alliance_id=${gone}`
        const { data } = await chancery.read<{ data: { summary: string }[] }>(path)
        return data.map(event => event.summary)
      }),
    )
    assert.deepEqual(summaries[1], summaries[0])
  })
}
