import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bases,
  holdsScope,
  limits,
  type Operation,
  operations,
  type Parameter,
  type Scope,
  scopeNames,
} from '@chancery/contract'
import { generateKey } from '../../src/access/key.ts'
import { prepare, useIngestPool, useTestServer } from '../support/fixture.ts'
import { assertError, readResponse, remainingAt, remainingOf } from './responses.ts'
import { addHistory, everyOperation, playerOf, smallWorld } from './world.ts'

const chancery = useTestServer({}, { facts: smallWorld() })
const pool = useIngestPool(chancery)
let fullKey: string
let revokedKey: string

prepare(async () => {
  await addHistory(chancery, pool)
  fullKey = (await chancery.makeKey({ nation_id: 'n1' }, scopeNames)).key
  const revoked = await chancery.makeKey({ nation_id: 'n1' }, scopeNames)
  assert.equal((await chancery.operate('POST', `/keys/${revoked.id}/revoke`)).status, 200)
  revokedKey = revoked.key
})

const get = async (...request: Parameters<typeof chancery.get>) =>
  readResponse(await chancery.get(...request))

/** Requests of operations, and the scopes that they need. */
const demands = everyOperation.flatMap(({ operation, path }) => {
  const { scope, includeScopes = {} }: Operation = operation
  const own = scope === 'none' || scope === 'key' ? [] : [scope]
  const sections = Object.entries(includeScopes).map(([section, sectionScope]) => ({
    operation,
    path: `${path}?include=${section}`,
    scopes: [...own, sectionScope],
    needsKey: true,
  }))
  return [{ operation, path, scopes: own, needsKey: scope !== 'none' }, ...sections]
})

for (const { path, needsKey } of demands) {
  test(`${path} ${needsKey ? 'needs' : 'needs no'} key`, async () => {
    const response = await get(path)
    if (!needsKey) return assert.notEqual(response.status, 401)
    const message = assertError(response, 'api_key_required', path)
    assert.match(message, /Authorization: Bearer/)
    assert.equal(response.headers['www-authenticate'], 'Bearer')
  })
}

/** The largest sets of scopes that do not hold the one: all others, and of those that imply it none. */
const allWithout = (scope: Scope) => scopeNames.filter(name => !holdsScope(new Set([name]), scope))

for (const { path, scopes } of demands) {
  for (const scope of scopes) {
    test(`${path} is forbidden to a key without ${scope}, whatever else it holds`, async () => {
      const { key } = await chancery.makeKey({ nation_id: 'n1' }, allWithout(scope))
      for (const base of Object.values(bases)) {
        const response = await get(path, { key, base })
        assert.ok(assertError(response, 'insufficient_scope', path).includes(scope))
        assert.equal(
          response.headers['www-authenticate'],
          `Bearer error="insufficient_scope", scope="${scope}"`,
        )
      }
    })
  }

  if (scopes.length > 0) {
    test(`${path} is allowed to a key that holds just ${scopes.join(' and ')}`, async () => {
      const { key } = await chancery.makeKey({ nation_id: 'n1' }, scopes)
      assert.equal((await get(path, { key })).status, 200)
    })
  }
}

test('a key without a scope still reads public data, and itself', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, [])
  for (const { operation, path } of everyOperation) {
    if (operation.scope !== 'none' && operation.scope !== 'key') continue
    if (operation.id !== 'discord.verify') assert.equal((await get(path, { key })).status, 200, path)
  }
})

/** The last character is the checksum's. */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')

const badCredentials = (): Record<string, string> => ({
  'an unknown key': `Bearer ${generateKey()}`,
  'a revoked key': `Bearer ${revokedKey}`,
  'a mistyped key': `Bearer ${mistyped(fullKey)}`,
  'half a key': `Bearer ${fullKey.slice(0, 20)}`,
  'no text': '',
  'the word alone': 'Bearer',
  'the word and a space': 'Bearer ',
  'a key without the word': fullKey,
  'another scheme': `Basic ${Buffer.from(`x:${fullKey}`).toString('base64')}`,
  'the word run into the key': `Bearer${fullKey}`,
  'two keys': `Bearer ${fullKey} ${fullKey}`,
  'a key in quotes': `Bearer "${fullKey}"`,
  'a very long text': `Bearer ${'a'.repeat(5_000)}`,
})

for (const { operation, path } of everyOperation) {
  test(`${operation.id} rejects a bad key, never as anonymous, and counts it against the address`, async () => {
    for (const [name, authorization] of Object.entries(badCredentials())) {
      const before = await remainingAt(chancery)
      const response = await get(path, { headers: { authorization } })
      const message = assertError(response, 'invalid_api_key', name)
      assert.equal(response.headers['www-authenticate'], 'Bearer', name)
      assert.equal(remainingOf(response), before - 1, name)
      assert.ok(!message.includes('chk_') && !response.body.includes(fullKey.slice(4, 20)), name)
    }
  })
}

test('the word Bearer may be in any case, with any number of spaces', async () => {
  for (const authorization of [`bearer ${fullKey}`, `BEARER ${fullKey}`, `bEaReR    ${fullKey}`]) {
    const response = await get('/me/key', { headers: { authorization } })
    assert.equal(response.status, 200, authorization.slice(0, 12))
  }
})

test('a key in the URL is ignored', async () => {
  for (const name of ['key', 'api_key', 'apikey', 'access_token', 'token', 'authorization'])
    assertError(await get(`/me/key?${name}=${fullKey}`), 'api_key_required', name)
})

for (const { operation } of everyOperation.filter(({ operation: { path } }) => path.includes('{id}'))) {
  test(`${operation.id} is 404 for an unknown id of any form`, async () => {
    const forms = 'none N1 n1%20 %20 n1,n2 %27 .. %2E%2E %F0%9F%8F%B0 * null 0 -1'.split(' ')
    for (const id of [...forms, 'a'.repeat(64), 'a'.repeat(65)]) {
      // A URL parser would resolve dots away.
      const path = operation.path.replace('{id}', /^(\.|%2E){2}$/.test(id) ? '.%2E%2F' : id)
      assertError(await get(path), 'not_found', path)
    }
  })
}

interface Probe {
  operation: Operation
  /** The operation's path with a query. */
  to: (query: string) => string
  name: string
  parameter: Parameter
}

const probes: Probe[] = everyOperation.flatMap(({ operation, path }) =>
  Object.entries(operation.parameters as Record<string, Parameter>)
    .filter(([, parameter]) => parameter.in === 'query')
    .map(([name, parameter]) => ({ operation, name, parameter, to: query => `${path}?${query}` })),
)

test('every parameter is probed', () => {
  const names = Object.values<Operation>(operations).flatMap(({ id, parameters }) =>
    Object.entries<Parameter>(parameters).flatMap(([name, { in: place }]) =>
      place === 'query' ? `${id} ${name}` : [],
    ),
  )
  assert.deepEqual(
    probes.map(({ operation, name }) => `${operation.id} ${name}`),
    names,
  )
  assert.ok(names.length > 40)
})

interface Bounds {
  minimum?: number
  maximum?: number
  maxLength?: number
}
const ids = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`).join(',')

/** Texts that a parameter rejects, and what its message must state as allowed. */
function malformed({ kind, schema }: Parameter): { texts: string[]; allowed: RegExp } {
  const { minimum = 0, maximum, maxLength } = schema as Bounds
  switch (kind) {
    case 'integer': {
      const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
      return {
        texts: [
          ...['', 'x', '1.0', '1e2', '+1', '-1', '%201', '1%20', '0x10', '%D9%A1', '1,2', 'NaN', 'Infinity'],
          ...(minimum > 0 ? [`${minimum - 1}`] : []),
          ...(isBounded ? [`${maximum + 1}`, '9'.repeat(400)] : []),
        ],
        allowed: new RegExp(`integer from ${minimum}${isBounded ? ` to ${maximum}` : ''}`),
      }
    }
    case 'decimal':
      return {
        texts: [
          ...['', 'x', '-', '--1', '+1', '1.', '.5', '1.23456', '1e3', '1,5', '9'.repeat(400)],
          ...[`${minimum - 1}`, `${(maximum ?? 0) + 1}`, '999999999999999.04', '900719925474.0991'],
        ],
        allowed: /number from -1000000000000000 to 1000000000000000 with at most 4 decimals and 15 digits/,
      }
    case 'text':
      return {
        texts: ['a'.repeat((maxLength ?? 0) + 1), '%F0%9F%8F%B0'.repeat((maxLength ?? 0) + 1)],
        allowed: new RegExp(`at most ${maxLength} characters`),
      }
    case 'id':
      return { texts: ['a b', '%20', 'a'.repeat(65), '%C3%A9', 'w1,w2'], allowed: /1 to 64 characters/ }
    case 'ids':
    case 'related_ids':
      return {
        texts: [ids(limits.idsMax + 1), ','.repeat(limits.idsMax), 'n1%20n2', 'n1,%C3%A9', 'a'.repeat(65)],
        allowed: /at most 100 values|1 to 64 characters/,
      }
    case 'enum':
    case 'enum_list':
      return {
        texts: [...(kind === 'enum' ? [''] : [',']), 'everything', 'ACTIVE', '%20'],
        allowed: /of (the values )?[a-z_]+(, [a-z_]+)*[.;]/,
      }
    case 'time':
      return {
        texts: [
          ...['', 'yesterday', '2026-05-27', '2026-05-27T18:00:00', '1779904800', '2026-02-30T00:00:00Z'],
          ...['2026-05-27T24:00:00Z', '2026-13-01T00:00:00Z', '2026-05-27T25:00:00Z', '2026-05-27t18:00:00z'],
          ...['2026-05-27T18:00:00.1234567890Z', '10000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
        ],
        allowed: /a time like 2026-/,
      }
    case 'date_or_time':
      return {
        texts: ['', 'yesterday', '2026-5-27', '2026-02-30', '2026-05-27T18:00:00', '0000-01-01', '20260527'],
        allowed: /a date like 2026-05-27 or a time like 2026-/,
      }
    case 'event_types':
      return {
        texts: [
          ...['war', 'war.*.*', '*', 'nothing.*', 'war.declared,', 'War.Declared', 'war.,war.ended'],
          Array(101).fill('war.*').join(','),
        ],
        allowed: /(families such as war\.\*|at most 100 values)/,
      }
    case 'profile_enum_list':
      return { texts: [','.repeat(limits.idsMax)], allowed: /at most 100 values/ }
    case 'profile_enum':
    // A header.
    case 'event_id':
      return { texts: [], allowed: /./ }
  }
}

const isList = ({ schema }: Parameter) => (schema as { type?: string }).type === 'array'

for (const { operation, name, parameter, to } of probes) {
  test(`${operation.id} rejects a malformed ${name}, and states what is allowed`, async () => {
    const { texts, allowed } = malformed(parameter)
    for (const text of [...texts, 'a%00b', '%ff', '%zz']) {
      // The last ones are rejected before the kind is checked.
      const isText = texts.includes(text)
      const response = await get(to(`${name}=${text}`), { key: fullKey })
      const message = assertError(response, 'invalid_parameter', `${name}=${text.slice(0, 60)}`)
      assert.ok(message.includes(`\`${name}\``), message)
      if (isText) assert.match(message, allowed)
    }
  })

  if (isList(parameter)) continue
  test(`${operation.id} rejects ${name} given twice, also if both are equal or one is empty`, async () => {
    for (const query of [
      `${name}=1&${name}=1`,
      `${name}=&${name}=`,
      `${name}&x=1&${name}`,
      `${name}=a&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=b`,
    ]) {
      const response = await get(to(query), { key: fullKey })
      assert.match(
        assertError(response, 'invalid_parameter', query),
        new RegExp(`\`${name}\` must be given only once`),
      )
    }
  })
}

const emptyable = probes.filter(({ parameter: { kind } }) =>
  ['text', 'id', 'related_ids', 'profile_enum', 'profile_enum_list'].includes(kind),
)

test('an empty text, id or filter of ids counts as absent', async () => {
  assert.ok(emptyable.length > 10)
  for (const { operation, name, to } of emptyable) {
    const without = await get(to(''), { key: fullKey })
    const empty = await get(to(`${name}=`), { key: fullKey })
    const bare = await get(to(name), { key: fullKey })
    assert.equal(empty.status, without.status, `${operation.id} ${name}`)
    if (operation.cache !== 'private')
      assert.deepEqual([empty.body, bare.body], [without.body, without.body], `${operation.id} ${name}`)
  }
})

test('unknown parameters that are like no known one are ignored, also repeated ones and those that are not UTF-8', async () => {
  for (const { operation, path } of everyOperation.filter(each => each.operation.cache !== 'private')) {
    const plain = await get(path)
    assert.equal(plain.status, 200)
    const queries = 'unknown=1 unknown=1&unknown=2 unknown=%ff %ff=1 __proto__=1 = &&& ? constructor=x'
    for (const query of queries.split(' '))
      assert.equal((await get(`${path}?${query}`)).body, plain.body, `${operation.id} ${query}`)
  }
})

for (const { operation, path } of everyOperation.filter(each => each.operation.returns.isList)) {
  test(`${operation.id} has an empty page past its end, however large the number`, async () => {
    const { pagination } = await chancery.read<{ pagination: { total: number } }>(path)
    assert.ok(pagination.total > 0)
    const large = ['99999', '2147483648', '9007199254740991', '9'.repeat(30), '9'.repeat(1_000)]
    for (const number of ['2', ...large]) {
      const page = Math.min(Number(number), Number.MAX_SAFE_INTEGER)
      const body = await chancery.read(`${path}?limit=100&page=${number}`)
      assert.deepEqual(body, {
        data: [],
        pagination: { page, limit: 100, total: pagination.total, pages: 1 },
      })
    }
  })

  test(`${operation.id} has pages that together are the list`, async () => {
    interface Page {
      data: unknown[]
      pagination: { page: number; limit: number; total: number; pages: number }
    }
    const whole = await chancery.read<Page>(`${path}?limit=100`)
    const total = whole.data.length
    const limit = Math.max(1, total - 1)
    const first = await chancery.read<Page>(`${path}?limit=${limit}`)
    const second = await chancery.read<Page>(`${path}?limit=${limit}&page=2`)
    assert.deepEqual([...first.data, ...second.data], whole.data)
    assert.deepEqual(first.pagination, { page: 1, limit, total, pages: Math.ceil(total / limit) })
    const { pagination } = await chancery.read<Page>(path)
    const { limit: own } = operation.parameters as Record<string, Parameter>
    const { default: usual } = (own?.schema ?? {}) as { default?: number }
    assert.deepEqual(pagination, { page: 1, limit: usual, total, pages: 1 })
  })
}

test('100 ids are accepted, and unknown ones are left out', async () => {
  for (const path of ['/nations', '/alliances', '/wars']) {
    const body = await chancery.read<{ data: unknown[] }>(`${path}?ids=${ids(limits.idsMax)}`)
    assert.ok(body.data.length <= 9)
  }
  const { data } = await chancery.read<{ data: { id: string }[] }>('/nations?ids=n3,none,%20,n1,n1,,')
  assert.deepEqual(
    data.map(({ id }) => id),
    ['n1', 'n3'],
  )
  assert.deepEqual((await chancery.read<{ data: unknown[] }>('/nations?ids=none')).data, [])
})

// Each pair of checks: a request that fails both gets the error of the first.
const post = (path: string, headers: Record<string, string> = {}) =>
  fetch(chancery.url + bases.canonical + path, { method: 'POST', headers }).then(readResponse)

test('the order of checks: 405 before a bad key, a missing key and an unknown path', async () => {
  const bad = { authorization: 'Bearer nonsense' }
  for (const path of ['/me/nation', '/nowhere', '/nations?limit=x', '/nations/none'])
    assertError(await post(path, bad), 'method_not_allowed', path)
})

test('the order of checks: a bad key before an unknown path, parameters and scopes', async () => {
  for (const path of ['/nowhere', '/me/nation?include=all', '/nations?limit=x', '/nations/none'])
    for (const key of ['nonsense', revokedKey]) assertError(await get(path, { key }), 'invalid_api_key', path)
})

test('the order of checks: parameters before the missing key, and before the missing scope', async () => {
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, [])
  for (const path of ['/me/nation?include=all', '/alliances/none?include=all']) {
    assertError(await get(path), 'invalid_parameter', path)
    assertError(await get(path, { key }), 'invalid_parameter', path)
  }
})

test('the order of checks: the missing key, then the missing scope, then 404, then the rank in the alliance', async () => {
  const { key: bare } = await chancery.makeKey({ player_id: 'without-nation' }, [])
  const { key: scoped } = await chancery.makeKey({ player_id: 'without-nation' }, scopeNames)
  assertError(await get('/alliances/none?include=treasury'), 'api_key_required', 'no key')
  assertError(await get('/alliances/none?include=treasury', { key: bare }), 'insufficient_scope', 'no scope')
  assertError(await get('/alliances/none?include=treasury', { key: scoped }), 'not_found', 'no alliance')
  assertError(await get('/alliances/a1?include=treasury', { key: scoped }), 'not_entitled', 'no standing')
  assertError(await get('/me/nation', { key: bare }), 'insufficient_scope', 'no scope')
  assertError(await get('/me/nation', { key: scoped }), 'not_found', 'no nation')
})

test('a key names the player of the nation it was made for', async () => {
  const { data } = (await (await chancery.operate('GET', `/keys?player_id=${playerOf('n1')}`)).json()) as {
    data: { player_id: string }[]
  }
  assert.ok(data.length > 0 && data.every(({ player_id }) => player_id === playerOf('n1')))
})
