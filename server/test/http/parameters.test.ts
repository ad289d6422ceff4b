import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  contractFor,
  demoProfile,
  limits,
  type Operation,
  operations,
  type Parameter,
  scopeNames,
} from '@chancery/contract'
import { ApiError } from '../../src/http/http-error.ts'
import { parseParameters } from '../../src/http/parameters.ts'
import { prepare, useTestServer } from '../support/fixture.ts'
import { assertError, readResponse } from './responses.ts'
import { everyOperation, smallWorld } from './world.ts'

const chancery = useTestServer({}, { facts: smallWorld() })
let key: string
prepare(async () => {
  key = (await chancery.makeKey({ nation_id: 'n1' }, scopeNames)).key
})

const get = async (path: string) => readResponse(await chancery.get(path, { key }))
const eventTypes = Object.keys(contractFor(demoProfile).eventKinds)

/** Parses a query as the server does; the message of the error where it is refused. */
function parse(operation: Operation, query: string): Record<string, unknown> | string {
  try {
    const path = { id: 'n1', code: 'x' }
    return parseParameters(operation, { path, query, headers: {} }, { eventTypes })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.equal(error.code, 'invalid_parameter')
    return error.message
  }
}

const queryParameters = ({ parameters }: Operation) =>
  Object.entries<Parameter>(parameters).filter(([, parameter]) => parameter.in === 'query')

interface ListParameter {
  operation: Operation
  path: string
  name: string
  /** Values that select some of the small world, not all. */
  values: [string, string]
  /** Unknown keys of the game profile select nothing. */
  takesAnyText: boolean
}

/** Every list parameter of every operation. */
const lists: ListParameter[] = everyOperation.flatMap(({ operation, path }) =>
  queryParameters(operation)
    .filter(([, { schema }]) => (schema as { type?: string }).type === 'array')
    .map(([name, { kind }]) => ({
      operation,
      path,
      name,
      values: valuesFor(operation, name),
      takesAnyText: kind === 'profile_enum_list',
    })),
)

function valuesFor(operation: Operation, name: string): [string, string] {
  const words: Record<string, [string, string]> = {
    'nations.list ids': ['n3', 'n5'],
    'nations.list alliance_id': ['a1', 'a2'],
    'alliances.list ids': ['a2', 'none'],
    'members.list ids': ['n1', 'n5'],
    'conflicts.list ids': ['none', 'other'],
    'eras.list ids': ['none', 'other'],
    'news.list ids': ['none', 'other'],
    'market.price resource': ['steel', 'none'],
    'changes.list resource': ['nation', 'war'],
    'changes.stream resource': ['nation', 'war'],
    'wars.list ids': ['none', 'other'],
    'treaties.list ids': ['none', 'other'],
    'treaties.list nation_id': ['none', 'other'],
    'treaties.list alliance_id': ['none', 'other'],
    'battles.list ids': ['none', 'other'],
    'battles.list alliance_id': ['none', 'other'],
    'wars.list nation_id': ['n2', 'n3'],
    'wars.list alliance_id': ['none', 'other'],
    'alliances.get include': ['treasury', 'treasury'],
    'me.nation include': ['military', 'economy'],
    type: ['war.declared', 'battle.fought'],
    nation_id: ['n2', 'n3'],
    alliance_id: ['a1', 'none'],
  }
  const values = words[`${operation.id} ${name}`] ?? words[name]
  assert.ok(values, `${operation.id} ${name}: the test has no values for it`)
  return values
}

/** How clients write a list of two values: all mean the same. */
const spellings: Record<string, (name: string, a: string, b: string) => string> = {
  'separated by a comma': (name, a, b) => `${name}=${a},${b}`,
  'with an encoded comma, as URLSearchParams and fetch write it': (name, a, b) => `${name}=${a}%2C${b}`,
  'repeated, as openapi-fetch, orval, requests and httpx write it': (name, a, b) =>
    `${name}=${a}&${name}=${b}`,
  'with brackets, as axios writes it': (name, a, b) => `${name}[]=${a}&${name}[]=${b}`,
  'with encoded brackets, as jQuery writes it': (name, a, b) => `${name}%5B%5D=${a}&${name}%5B%5D=${b}`,
  'with numbers in brackets, as qs and PHP write it': (name, a, b) =>
    `${name}%5B0%5D=${a}&${name}%5B1%5D=${b}`,
  'with a blank behind the comma': (name, a, b) => `${name}=${a},%20${b}`,
  'with a plus sign behind the comma': (name, a, b) => `${name}=${a},+${b}`,
  'with blanks on all sides': (name, a, b) => `${name}=+${a}%20%2C%09+${b}+`,
  'in another order': (name, a, b) => `${name}=${b}&${name}=${a}`,
  'with one value twice': (name, a, b) => `${name}=${a},${b},${a}`,
  'in two spellings at once': (name, a, b) => `${name}[]=${b}&${name}=${a},${b}`,
  'beside an empty one, as a form sends it': (name, a, b) => `${name}=&${name}=${a}&${name}=${b}`,
}

test('every list parameter is tested with every spelling', () => {
  assert.ok(lists.length >= 12, `${lists.length}`)
  assert.ok(lists.some(({ operation }) => operation.cache === 'stream'))
  assert.ok(lists.some(({ operation }) => operation.cache === 'private'))
})

for (const { operation, path, name, values, takesAnyText } of lists) {
  test(`${operation.id} has one body and one ETag for ${name}, whatever the spelling`, async () => {
    const start = operation.cache === 'stream' ? `after=${operation.id === 'changes.stream' ? 1 : 0}&` : ''
    const plain = await get(`${path}?${start}`)
    const expected = await get(`${path}?${start}${name}=${values}`)
    assert.equal(expected.status, 200, expected.body)
    // An ignored list would select everything. An own nation has all sections by default.
    if (operation.id !== 'me.nation') assert.notEqual(expected.body, plain.body)
    for (const [spelling, write] of Object.entries(spellings)) {
      const found = await get(`${path}?${start}${write(name, ...values)}`)
      assert.deepEqual(
        [found.status, found.body, found.headers.etag],
        [200, expected.body, expected.headers.etag],
        spelling,
      )
    }
  })

  test(`${operation.id} accepts at most ${limits.idsMax} values of ${name}, whatever the spelling`, () => {
    const [value] = values
    for (const [one, other] of [
      [`${name}=`, ','],
      [`${name}=`, `&${name}=`],
      [`${name}[]=`, `&${name}%5B%5D=`],
    ] as const) {
      const query = (count: number) => `${one}${Array(count).fill(value).join(other)}`
      assert.equal(typeof parse(operation, query(limits.idsMax)), 'object')
      assert.match(String(parse(operation, query(limits.idsMax + 1))), /at most 100/)
    }
    assert.match(String(parse(operation, `${name}=&`.repeat(limits.idsMax + 1))), /at most 100/)
    const both = `${name}=${Array(60).fill(value)}&${name}[]=${Array(60).fill(value)}`
    assert.match(String(parse(operation, both)), /at most 100/)
  })

  if (takesAnyText) continue
  test(`${operation.id} rejects an invalid value of ${name}, and states which`, () => {
    const [value] = values
    const lists = [`["${value}"]`, `${value}|${value}`, `${value};${value}`]
    for (const text of ['a b', ...lists, 'é', '😀', '*', 'a'.repeat(65)]) {
      const message = parse(operation, `${name}=${value}&${name}=${encodeURIComponent(text)}`)
      assert.match(String(message), new RegExp(`\`${name}\` must .*value 2`), text)
    }
  })
}

test('an empty list of ids selects nothing, and an empty filter counts as not given', async () => {
  const isOwn = ({ name }: ListParameter) => name === 'ids'
  for (const { operation, path, name } of lists.filter(isOwn)) {
    for (const query of [name, `${name}=`, `${name}[]=`, `${name}=&${name}=`, `${name}=,`, `${name}=+`]) {
      const { data, pagination } = await chancery.read<{ data: unknown[]; pagination: object }>(
        `${path}?${query}`,
      )
      assert.deepEqual(
        [data, pagination],
        [[], { page: 1, limit: 25, total: 0, pages: 0 }],
        `${operation.id} ${query}`,
      )
    }
  }
  for (const { operation, name } of lists.filter(list => !isOwn(list))) {
    for (const query of [name, `${name}=`, `${name}[]=`, `${name}=&${name}=`])
      assert.deepEqual(parse(operation, query), parse(operation, ''), `${operation.id} ${query}`)
  }
})

test('a filter of nothing but commas or blanks selects nothing, never everything', async () => {
  const filters = lists.filter(({ operation, name }) => name.endsWith('_id') && operation.cache !== 'stream')
  assert.ok(filters.length >= 5)
  for (const { operation, path, name } of filters) {
    for (const text of [',', '+', '%20,%20']) {
      const { data } = await chancery.read<{ data: unknown[] }>(`${path}?${name}=${text}`)
      assert.deepEqual(data, [], `${operation.id} ${name}=${text}`)
    }
  }
})

const withoutLetter = (name: string) => [...name].map((_, at) => name.slice(0, at) + name.slice(at + 1))
const withLetter = (name: string) => [...name].map((_, at) => `${name.slice(0, at)}x${name.slice(at)}`)
const otherLetter = (name: string) => [...name].map((_, at) => `${name.slice(0, at)}x${name.slice(at + 1)}`)
const swapped = (name: string) =>
  [...name].slice(1).map((_, at) => `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`)
const oneLetterOff = (name: string) => [
  ...withoutLetter(name),
  ...withLetter(name),
  ...otherLetter(name),
  ...swapped(name),
]

/** The name in other cases, with other separators, or with brackets that it does not take. */
const otherSpellings = (name: string) => [
  name.toUpperCase(),
  name.replaceAll('_', ''),
  name.replaceAll('_', '-'),
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  `${name[0]?.toUpperCase()}${name.slice(1)}`,
  `_${name}`,
  `${name}-`,
  `${name.toUpperCase()}[]`,
]

for (const { operation } of everyOperation) {
  const names = queryParameters(operation).map(([name]) => name)
  if (names.length === 0) continue

  test(`${operation.id} rejects a near miss of a parameter, and names the parameter`, () => {
    for (const name of names) {
      const spelled = otherSpellings(name).map(text => [text, true] as const)
      // A name of two letters is like too many others.
      const mistyped = (name.length > 2 ? oneLetterOff(name) : []).map(text => [text, false] as const)
      const twice =
        name.replaceAll('_', '').length >= 5
          ? oneLetterOff(name).flatMap(text => withoutLetter(text).map(more => [more, false] as const))
          : []
      for (const [text, isCertain] of [...spelled, ...mistyped, ...twice]) {
        if (names.includes(text)) continue
        const message = String(parse(operation, `${encodeURIComponent(text)}=1`))
        assert.match(message, /^Unknown parameter .*: did you mean `\w+`\?/, `${text} for ${name}`)
        if (isCertain) assert.ok(message.includes(`did you mean \`${name}\``), `${text}: ${message}`)
      }
    }
  })

  test(`${operation.id} ignores other unknown parameters`, () => {
    const known = parse(operation, '')
    const others = [
      ...'_ __ v t ts r cb x k rnd rand random nocache cache bust'.split(' '),
      ...'utm_source utm_medium utm_campaign utm_term utm_content utm_id fbclid gclid'.split(' '),
      ...'api_key apikey access_token token key auth ref referrer client version'.split(' '),
      ...['fields', 'sort', 'order', 'offset', 'per_page', 'cursor', 'format', 'callback', 'pretty', 'lang'],
      ...['q', 'to', 'from', 'by', 'tz', 'name', 'user', 'timestamp', 'unknown', 'constructor', '__proto__'],
      ...['[]', '[0]', '{}', '%00', '%ff', 'a'.repeat(2_000), 'a_'.repeat(1_000), ''],
    ]
    const ignored = others.filter(name => !names.includes(name))
    for (const name of ignored) assert.deepEqual(parse(operation, `${name}=1`), known, name)
    assert.deepEqual(parse(operation, ignored.map(name => `${name}=1&${name}=%ff`).join('&')), known)
    const many = (count: number) =>
      Array.from({ length: count }, (_, number) => `unlike_any_${number}`).join('&')
    assert.deepEqual(parse(operation, many(100)), known)
    assert.match(String(parse(operation, many(101))), /more than 100 unknown parameters/)
  })
}

test('`id` is rejected where `ids` is meant, and ignored where no parameter is like it', () => {
  assert.match(String(parse(operations.nationsList, 'id=n1')), /did you mean `ids`/)
  assert.equal(typeof parse(operations.rankingsList, 'id=n1'), 'object')
})

test('a near miss is rejected on the wire, with the name escaped and shortened', async () => {
  for (const [query, shown] of [
    ['nationId=n1', '`nationId`'],
    ['nation%0Aid=n1', '`nation?id`'],
    ['nation%E2%80%AEid=n1', '`nation?id`'],
    [`nation${'_'.repeat(500)}id=n1`, `\`nation${'_'.repeat(34)}…\``],
  ] as const) {
    const message = assertError(await get(`/wars?${query}`), 'invalid_parameter', query)
    assert.equal(message, `Unknown parameter ${shown}: did you mean \`nation_id\`?`)
  }
})
