import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { contractFor, demoProfile, factResources, primaryKeys, requiredMembers } from '@chancery/contract'
import fc from 'fast-check'
import { markedBlock, tableRows } from '../../../tools/guides/guide.ts'
import { parseFact } from '../../src/ingest/split-batches.ts'
import { createFactValidator, isRejected } from '../../src/ingest/validate-fact.ts'
import { randomRuns } from '../support/tier.ts'

const contract = contractFor(demoProfile)
const check = createFactValidator(contract)

const names = [
  ...new Set(factResources.flatMap(resource => Object.keys(contract.factSchemas[resource].properties))),
  'toString',
  '__proto__',
  'constructor',
]
const value = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'n1', '2026-05-20T10:00:00Z', 'active'),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value
const fact = fc.record(
  {
    op: fc.oneof(fc.constantFrom<unknown>('put', 'delete', 'event', 'commit'), value),
    resource: fc.oneof(fc.constantFrom<unknown>(...factResources), value),
    data: fc.oneof(
      fc.dictionary(fc.constantFrom(...names), value),
      fc.record({
        type: fc.oneof(fc.constantFrom<unknown>(...Object.keys(contract.eventKinds)), value),
        data: value,
      }),
      value,
    ),
    id: value,
    at: value,
    batch: value,
  },
  { requiredKeys: [] },
)

test('any line is a valid fact or gets a rejection with its place', () => {
  fc.assert(
    fc.property(fc.oneof(fact, value), sent => {
      const parsed = parseFact(JSON.stringify(sent), 7)
      const checked = 'reason' in parsed ? [parsed] : check(parsed.value, 7)
      const rejections = isRejected(checked)
        ? checked
        : checked.op === 'commit' && isRejected(checked.commit)
          ? checked.commit
          : undefined
      if (!rejections) return
      assert.ok(rejections.length > 0 && rejections.length <= 20)
      for (const { line, path, reason, value } of rejections) {
        assert.equal(line, 7)
        assert.match(path, /^(\/([^~/]|~[01])*)*$/u)
        assert.ok(path.length < 1_000)
        assert.ok(reason.length > 5)
        assert.ok((value ?? '').length <= 500)
      }
    }),
    { numRuns: randomRuns(3_000) },
  )
})

test('parsing a line never throws, whatever its text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), text => {
      const parsed = parseFact(text, 1)
      assert.ok('value' in parsed || parsed.reason !== '')
    }),
    { numRuns: randomRuns(2_000) },
  )
})

const rejectionsOf = (sent: object) => {
  const checked = check(sent, 1)
  return isRejected(checked) ? checked : []
}
const put = (resource: string, data: object, more: object = {}) =>
  rejectionsOf({ op: 'put', resource, data, ...more })

test('a URL in a fact is https, with a public host name, and neither markup nor credentials', () => {
  const fields = factResources.flatMap(resource =>
    Object.keys(contract.factSchemas[resource].properties)
      .filter(name => name.endsWith('url'))
      .map(name => ({ resource, name })),
  )
  assert.deepEqual(
    fields.map(({ resource, name }) => `${resource}.${name}`),
    ['alliance.flag_url', 'nation.flag_url'],
  )
  const rejectedUrls = [
    'http://game.example/flag.png',
    'javascript:alert(1)',
    'https://',
    'https://game.example/"onerror="alert(1)',
    "https://game.example/'onerror='alert(1)",
    'https://game.example/<script>alert(1)</script>',
    'https://game.example/a b.png',
    'https://game.example/a\n.png',
    'https://game.example/`a`',
    'https://game.example/\u202egnp.flag',
    'https://game.example\\@evil.example/',
    'https://user@game.example/flag.png',
    'https://user:password@game.example/flag.png',
    'https://127.0.0.1/flag.png',
    'https://2130706433/flag.png',
    'https://0x7f.1/flag.png',
    'https://192.168.0.1/flag.png',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/flag.png',
    'https://[fd00::1]/flag.png',
    'https://localhost/flag.png',
    'https://LOCALHOST./flag.png',
    'https://router/flag.png',
    'https://printer.local/flag.png',
    'https://metadata.google.internal/flag.png',
    `https://game.example/${'a'.repeat(500)}`,
  ]
  const accepted = [
    'https://game.example/flags/n42.png',
    'https://cdn.game.example:8443/f/~n42_(1),a;b@2x.png?size=64&v=%20a#top',
    'https://xn--bcher-kva.example/flag.png',
  ]
  for (const { resource, name } of fields) {
    for (const url of rejectedUrls) {
      const paths = put(resource, { id: 'x1', [name]: url }).map(({ path }) => path)
      assert.ok(paths.length > 0 && paths.every(path => path === `/data/${name}`), `${name} takes ${url}`)
    }
    for (const url of [...accepted, null])
      assert.deepEqual(put(resource, { id: 'x1', [name]: url }), [], `${url}`)
  }
})

test('all errors of a fact are reported at once, with place, value and reason', () => {
  assert.deepEqual(
    put(
      'nation',
      {
        id: 'a b',
        nation_name: '',
        founded_at: '2026-05-20 10:00',
        city_count: 1.5,
        national_score: -2e15,
        status: 'sleeping',
        color: 'red',
        land_area: 'much',
        title: 'x',
        mottoes: [],
      },
      { at: 'yesterday' },
    ).map(({ path, reason, value }) => [path, reason, value]),
    [
      ['/data/title', 'unknown field', undefined],
      ['/data/mottoes', 'unknown field', undefined],
      ['/data/id', 'must be an id of 1 to 64 letters (A to Z), digits, - and _', '"a b"'],
      ['/data/nation_name', 'must not be empty', '""'],
      ['/data/national_score', 'must be at least -1000000000000000', '-2000000000000000'],
      ['/data/status', 'must be one of active, protected, vacation, inactive', '"sleeping"'],
      ['/data/color', 'must be a colour such as #2f6fde, or null', '"red"'],
      ['/data/founded_at', 'must be a UTC time such as 2026-05-20T10:00:00Z, or null', '"2026-05-20 10:00"'],
      ['/data/city_count', 'must be a whole number, or null', '1.5'],
      ['/data/land_area', 'must be a number, or null', '"much"'],
      ['/at', 'must be a UTC time such as 2026-05-20T10:00:00Z', '"yesterday"'],
    ],
  )
})

test('a fact with very many errors has the first twenty rejections', () => {
  const data = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, index]))
  assert.equal(put('nation', { id: 'n1', ...data }).length, 20)
})

test('a value is repeated on one line and shortened, whatever it is', () => {
  const [long] = put('nation', { id: `a\n\u202e"${'x'.repeat(5_000)}` })
  assert.equal(long?.value, `"a\\n\\u202e\\"${'x'.repeat(56)}…"`)
  assert.equal(put('nation', { id: { secret: 1 } })[0]?.value, 'an object')
  assert.equal(put('nation', { id: 'n1', nation_name: ['x'] })[0]?.value, 'a list')
  const [unknown] = put('nation', { id: 'n1', [`${'y'.repeat(5_000)}\u0007`]: 1 })
  assert.equal(unknown?.path, `/data/${'y'.repeat(64)}…`)
})

/** Every place of a schema with a single value, and whether it is public. */
function* placesOf(
  schema: Record<string, unknown>,
  path: string,
  isPublic: boolean,
): Generator<{ path: string[]; isPublic: boolean }> {
  const ownClass = schema['x-class']
  const isRead = isPublic && (ownClass === undefined || ownClass === 'public')
  const { properties, items } = schema as {
    properties?: Record<string, Record<string, unknown>>
    items?: Record<string, unknown>
  }
  if (properties)
    for (const [name, inner] of Object.entries(properties)) yield* placesOf(inner, `${path}/${name}`, isRead)
  else if (items) yield* placesOf(items, `${path}/0`, isRead)
  else yield { path: path.split('/').slice(1), isPublic: isRead }
}

test('the value of a private field is never repeated, of any resource', () => {
  let hidden = 0
  for (const resource of factResources) {
    const { fields, factFields } = contract.resources[resource]
    const classes = Object.entries({ ...fields, ...factFields }) as [string, Record<string, unknown>][]
    const classOf = new Map(classes.map(([name, field]) => [name, field['x-class']]))
    for (const [name, schema] of Object.entries(contract.factSchemas[resource].properties)) {
      const places = placesOf(schema as Record<string, unknown>, `/${name}`, classOf.get(name) === 'public')
      for (const { path, isPublic } of places) {
        // A value that no field accepts.
        let data: unknown = { canary: 'Canary' }
        for (const step of path.toReversed()) data = step === '0' ? [data] : { [step]: data }
        const text = { ...(data as object) }
        const wrong = JSON.parse(JSON.stringify(text).replace('{"canary":"Canary"}', '"Canary\\u0000"'))
        const rejections = put(resource, wrong)
        if (!isPublic) {
          hidden += 1
          assert.doesNotMatch(JSON.stringify(rejections), /Canary/, `${resource} ${path.join('.')}`)
        }
      }
    }
  }
  assert.ok(hidden > 20)
  assert.doesNotMatch(JSON.stringify(put('nation', { id: 'n1', moderation_note: 'Canary' })), /Canary/)
  assert.doesNotMatch(JSON.stringify(put('nation', { id: 'n1', attributes: 'Canary' })), /Canary/)
  assert.doesNotMatch(JSON.stringify(rejectionsOf({ op: 'erase', player: 'Canary!' })), /Canary/)
})

const guide = await readFile(new URL('../../../docs/game/what-to-send.md', import.meta.url), 'utf8')

test('the guide lists the required fields of every resource', () => {
  const rows = tableRows(markedBlock(guide, 'needed'))
  const documented = Object.fromEntries(
    rows.map(([resource = '', needed = '']) => [
      resource.replaceAll('`', ''),
      needed.replaceAll('`', '').split(', ').sort(),
    ]),
  )
  const needed = Object.fromEntries(
    factResources.map(name => {
      const fields = Object.entries(requiredMembers(contract.resources[name])).flatMap(([field, members]) =>
        members.length > 0 ? members.map(member => `${field}.${member}`) : [field],
      )
      return [name, [...new Set([primaryKeys[name], ...fields])].sort()]
    }),
  )
  assert.deepEqual(documented, needed)
})
