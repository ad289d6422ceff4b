import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultScopes, type Scope, scopeNames, scopes } from '@chancery/contract'
import {
  expirations,
  keyLinkPath,
  parseKeyLink,
  readableData,
  savePendingKeyLink,
  takePendingKeyLink,
} from '../src/keys/key-link.ts'

const known = scopeNames.map(name => ({
  name,
  description: scopes[name],
  is_private: !defaultScopes.includes(name),
  attributes: [],
}))

const parse = (parameters: Record<string, string>) =>
  parseKeyLink(new URLSearchParams(parameters).toString(), known)

/** The problems of a link, as one text. */
const problemsOf = (search: string) => Object.values(parseKeyLink(search, known)?.problems ?? {}).join('\n')

test('a link fills in name, scopes and expiration', () => {
  assert.deepEqual(parse({ name: ' War bot ', scopes: 'economy.read, military.read', expires: '30' }), {
    name: 'War bot',
    scopes: ['military.read', 'economy.read'] satisfies Scope[],
    expiration: '30',
    problems: {},
  })
})

test('every scope and every expiration of the form is valid in a link', () => {
  const link = parse({ scopes: scopeNames.join(',') })
  assert.deepEqual([link?.scopes, link?.problems], [scopeNames, {}])
  for (const { value } of expirations) assert.deepEqual(parse({ expires: value })?.expiration, value)
})

test('what a link does not give is left to the form', () => {
  assert.deepEqual(parse({ name: 'x' }), { name: 'x', scopes: null, expiration: null, problems: {} })
  assert.equal(parse({}), null)
  assert.equal(parse({ utm_source: 'chat' }), null, 'no parameter of a link')
})

test('unknown scopes are named, and the known ones are kept', () => {
  const link = parse({ scopes: 'military.read,units.write,Economy.Read' })
  assert.deepEqual(link?.scopes, ['military.read'])
  assert.match(
    problemsOf('scopes=military.read,units.write,Economy.Read'),
    /“units.write”, “Economy.Read” are not scopes/,
  )
  for (const name of scopeNames) assert.ok(problemsOf('scopes=x').includes(name), name)
  assert.deepEqual(parse({ scopes: '' })?.scopes, [], 'an empty list selects no default')
  assert.match(problemsOf('scopes='), /is not a scope/)
})

test('an invalid expiration is named with the valid ones', () => {
  for (const expires of ['0', '-1', '31', '90d', '2027-01-01T00:00:00Z', 'Never', '', '1e2']) {
    const link = parse({ expires })
    assert.equal(link?.expiration, null, expires)
    assert.match(
      link?.problems.expires ?? '',
      /must be a number of days \(7, 30, 90, 365\) or never/,
      expires,
    )
  }
})

test('a name is one line of at most 100 visible characters', () => {
  assert.equal(parse({ name: 'x'.repeat(100) })?.name.length, 100)
  for (const name of ['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0000b', 'a\u202Eb', 'a\u2066b', 'a\u2028b']) {
    const link = parse({ name })
    assert.deepEqual([link?.name, Object.keys(link?.problems ?? {})], ['', ['name']], JSON.stringify(name))
  }
  assert.match(problemsOf('name=%ff'), /cannot be displayed/)
  const markup = '<img src=x onerror=alert(1)>'
  assert.equal(parse({ name: markup })?.name, markup, 'text, which React escapes')
})

test('a parameter that is given twice is rejected', () => {
  const link = parseKeyLink(
    'scopes=nation.read&scopes=treasury.read&name=a&name=b&expires=7&expires=30',
    known,
  )
  assert.deepEqual([link?.name, link?.scopes, link?.expiration], ['', null, null])
  assert.deepEqual(Object.keys(link?.problems ?? {}), ['name', 'scopes', 'expires'])
})

test('messages are bounded, whatever a link contains', () => {
  const long = problemsOf(`scopes=${Array.from({ length: 100 }, (_, index) => `scope${index}`).join(',')}`)
  assert.match(long, /and 97 more are not scopes/)
  assert.ok(problemsOf(`expires=${'9'.repeat(1_500)}`).length < 250)
  assert.ok(!problemsOf('expires=%E2%80%AEx').includes('\u202E'))
  const link = parseKeyLink(`name=x&scopes=${'a,'.repeat(5_000)}`, known)
  assert.deepEqual([link?.name, link?.scopes], ['', null])
  assert.match(link?.problems.link ?? '', /longer than 2000 characters/)
})

test('what a tool reads is stated in the second person, from the description of each scope', () => {
  assert.equal(
    readableData(scopes['military.read']),
    'your units, reserves, readiness and strategic stockpiles',
  )
  for (const name of scopeNames) {
    assert.match(scopes[name], /^Read .*\.$/, name)
    const text = readableData(scopes[name])
    assert.doesNotMatch(text, /\b(I|me|my|mine|Read)\b|\.$/, name)
    assert.match(text, /\byours?\b/, name)
  }
})

/** A storage that works, or one that is disabled. */
function createStorage() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

test('a pending link is opened once, within half an hour', () => {
  const storage = createStorage()
  const search = 'name=War+bot&scopes=military.read'
  assert.equal(
    takePendingKeyLink(() => storage, 0),
    null,
  )
  assert.equal(
    savePendingKeyLink(() => storage, search, 1_000),
    true,
  )
  assert.equal(
    takePendingKeyLink(() => storage, 1_000 + 29 * 60_000),
    `${keyLinkPath}?${search}`,
  )
  assert.equal(
    takePendingKeyLink(() => storage, 2_000),
    null,
    'it is opened once',
  )
  for (const nowMs of [1_000 + 31 * 60_000, 0]) {
    savePendingKeyLink(() => storage, search, 1_000)
    assert.equal(
      takePendingKeyLink(() => storage, nowMs),
      null,
      String(nowMs),
    )
  }
})

test('a pending link opens no page but the form, whatever is stored', () => {
  const storage = createStorage()
  const stored = ['//evil.example', 'https://evil.example/', '/../../x', '#x', '?name=x', 'name=x\r\n']
  for (const search of stored) {
    savePendingKeyLink(() => storage, search, 0)
    const path = takePendingKeyLink(() => storage, 0) ?? ''
    const { origin, pathname, hash } = new URL(path, 'https://api.game.example/')
    assert.deepEqual([origin, pathname, hash], ['https://api.game.example', keyLinkPath, ''], search)
  }
  for (const text of ['', 'x', '1', '{}', '[]', '{"search":"name=x"}', '{"search":"name=x","savedAt":"x"}']) {
    savePendingKeyLink(() => storage, '', 0)
    storage.items.set([...storage.items.keys()][0] ?? '', text)
    assert.equal(
      takePendingKeyLink(() => storage, 0),
      null,
      text,
    )
  }
})

test('a link that is too long, or a browser without storage, keeps no link', () => {
  const storage = createStorage()
  assert.equal(
    savePendingKeyLink(() => storage, 'x'.repeat(2_001), 0),
    false,
  )
  assert.equal(storage.items.size, 0)
  const disabled = () => {
    throw new Error('The operation is insecure.')
  }
  assert.equal(savePendingKeyLink(disabled, 'name=x', 0), false)
  assert.equal(takePendingKeyLink(disabled, 0), null)
})
