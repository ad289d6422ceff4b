import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  bases,
  contractFor,
  demoProfile,
  type FactResource,
  factKeys,
  factResources,
  type Profile,
} from '@chancery/contract'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { mayKnow } from './clearance.ts'
import { ask, type Exchange, eachOf, hangUp, told } from './exchange.ts'
import { requestsOf, withTimes } from './requests.ts'
import { fill, isHidden, type Schema, type Slot, slotsOf } from './slots.ts'
import { type Viewer, viewers } from './viewers.ts'
import { ids } from './world.ts'

/** Attributes of every class and type besides what the demo has. */
const profile: Profile = {
  ...demoProfile,
  attributes: {
    nation: (['string', 'integer', 'number', 'time'] as const).flatMap(type => [
      {
        key: `own_${type}`,
        type,
        description: 'Own.',
        class: 'player_private',
        scope: 'economy.read',
        example: null,
      },
      { key: `kept_${type}`, type, description: 'Kept.', class: 'admin_only', example: null },
    ]),
    alliance: [
      {
        key: 'plan',
        type: 'string',
        description: 'A plan.',
        class: 'alliance_private',
        scope: 'treasury.read',
        example: null,
      },
      {
        key: 'kept_secretly',
        type: 'string',
        description: 'Canary of words.',
        class: 'admin_only',
        example: null,
      },
    ],
  },
}
const contract = contractFor(profile)

/** A value that stands nowhere else, and where it stands. */
interface Canary {
  text: string
  slot: Slot
  id: string
}

const canaries: Canary[] = []
let hatched = 0

/** A value of a schema in which every text and number is a canary. Words of a list, and yes or no, cannot be one. */
function marked(schema: Schema, slot: Slot, id: string): unknown {
  const [type] = [schema.type ?? 'object'].flat().filter(each => each !== 'null')
  if (schema.enum) return schema.enum[0]
  // PostgreSQL writes no zero at the end of a fraction.
  hatched += hatched % 10 === 9 ? 2 : 1
  const note = (text: string) => {
    canaries.push({ text, slot, id })
    return text
  }
  const number = 700_000 + hatched
  switch (type) {
    case 'boolean':
      return null
    case 'integer':
      return Number(note(`${number}555111`))
    case 'number':
      return Number(note(`${number}.5511`))
    case 'string':
      if (schema.format === 'date-time') return `${note(`2031-01-01T00:00:00.${number}`)}Z`
      return note(`canary_${hatched}_x`)
    case 'array':
      return [marked(schema.items ?? {}, slot, id), marked(schema.items ?? {}, slot, id)]
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, member]) => [key, marked(member, slot, id)]),
      )
  }
}

/** Facts that fill every hidden slot of a thing with canaries. */
function secretsOf(resource: FactResource, id: string, except: string[] = []): Record<string, unknown>[] {
  const slots = slotsOf(contract, resource).filter(
    slot => isHidden(slot) && !except.includes(slot.path[0] ?? ''),
  )
  return slots.map(slot => ({
    op: 'put',
    resource,
    data: { [factKeys[resource]]: id, ...fill(slot.path, marked(slot.schema, slot, id)) },
  }))
}

const put = (resource: FactResource, data: object) => ({ op: 'put', resource, data })

/** The cast of the viewers as they stand in the end, with no history. */
function facts() {
  const ranks: Record<string, string> = {
    n_leader: 'leader',
    n_officer: 'officer',
    n_barred: 'officer',
    n_ally: 'leader',
    n_enemy: 'leader',
    n_reborn: 'leader',
  }
  const allianceOf = new Map(viewers.map(viewer => [viewer.nation, viewer.alliance]))
  const playerOf = new Map(viewers.map(viewer => [viewer.nation, viewer.player]))
  const standing: Record<string, boolean> = { n_trusted: true, n_barred: false }
  return [
    ...ids.alliance.map(id => put('alliance', { id, name: `The ${id}` })),
    ...ids.nation.map(id =>
      put('nation', { id, nation_name: `The ${id}`, player: playerOf.get(id) ?? null }),
    ),
    ...ids.nation
      .filter(id => allianceOf.get(id))
      .map(id =>
        put('alliance_member', {
          nation_id: id,
          alliance_id: allianceOf.get(id),
          rank: ranks[id] ?? 'member',
          can_view_treasury: standing[id] ?? null,
        }),
      ),
    put('war', {
      id: 'w_1',
      attacker: { nation_id: 'n_leader' },
      defender: { nation_id: 'n_enemy' },
      declared_at: '2026-05-01T00:00:00Z',
    }),
    ...ids.nation.flatMap(id =>
      secretsOf('nation', id, ['assignments', ...(playerOf.has(id) ? ['player'] : [])]),
    ),
    ...ids.alliance.flatMap(id => secretsOf('alliance', id)),
    ...ids.nation.map(id => put('nation', { id, ...ownAssignment(id, allianceOf.get(id)) })),
    ...secretsOf('alliance_application', 'n_applicant'),
  ]
}

/** One assignment of the own alliance, and one of another: whoever is a member sees the first. */
function ownAssignment(id: string, alliance: string | undefined) {
  const slot = slotsOf(contract, 'nation').find(({ path }) => path[0] === 'assignments')
  assert.ok(slot)
  const { items = {} } = slot.schema
  const { alliance_id: _, ...properties } = items.properties ?? {}
  const own =
    alliance === undefined ? [] : [{ ...(marked({ properties }, slot, id) as object), alliance_id: alliance }]
  const foreign = marked(items, { ...slot, fieldClass: 'admin_only' }, id)
  return { assignments: [...own, foreign] }
}

const operatorToken = 'canary-operator-token-of-this-test'
let database: TestDatabase
let dataDir: string
let server: ChildProcess
let publicUrl: string
let operatorUrl: string
let written = ''
const keys = new Map<string, string>()
const codes: string[] = []

before(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'chancery-canaries-'))
  const gameFile = join(dataDir, 'game.json')
  await writeFile(gameFile, JSON.stringify(profile))
  server = fork(new URL('./served-process.ts', import.meta.url), {
    silent: true,
    env: {
      PATH: process.env.PATH,
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_OPERATOR_TOKEN: operatorToken,
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_GAME_FILE: gameFile,
      CHANCERY_ANONYMOUS_LIMIT: '1000000',
      CHANCERY_KEY_LIMIT: '1000000',
      CHANCERY_LOG_LEVEL: 'trace',
    },
  })
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', part => (written += part))
  const [addresses] = (await once(server, 'message')) as [{ publicUrl: string; operatorUrl: string }]
  ;({ publicUrl, operatorUrl } = addresses)
  const outcome = await operate('POST', '/facts', { facts: facts() }, { 'idempotency-key': 'canaries' })
  assert.equal(outcome.status, 200, outcome.body)
  for (const { name, player, scopes } of viewers) {
    if (!player) continue
    const made = await operate('POST', '/keys', { player_id: player, name: 'canary', scopes })
    keys.set(name, (JSON.parse(made.body) as { key: string }).key)
  }
  for (const nation_id of ['n_leader', 'n_applicant']) {
    const made = await operate('POST', '/codes', { nation_id })
    codes.push((JSON.parse(made.body) as { code: string }).code)
  }
})
after(async () => {
  hangUp()
  if (server.exitCode === null) {
    server.send('close')
    await once(server, 'exit')
  }
  await database.drop()
  await rm(dataDir, { recursive: true })
})

async function operate(
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Exchange> {
  const response = await fetch(operatorUrl + path, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json', ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: {}, body: await response.text() }
}

/** Each text that a response must not hold, and what it holds of them. */
function foundIn(text: string): Set<string> {
  const found = new Set(canaries.filter(canary => text.includes(canary.text)).map(({ text: own }) => own))
  for (const secret of [...keys.values(), ...codes, operatorToken])
    if (text.includes(secret)) found.add(secret)
  return found
}

const clearedFor = (viewer: Viewer) =>
  new Set(canaries.filter(({ slot, id }) => mayKnow(viewer, slot, id)).map(({ text }) => text))

test('every hidden field that can hold a text or a number holds a canary', () => {
  const held = new Set(canaries.map(({ slot }) => `${slot.resource}.${slot.path.join('.')}`))
  const hidden = factResources.flatMap(resource =>
    slotsOf(contract, resource)
      .filter(slot => isHidden(slot) && ![slot.schema.type].flat().includes('boolean'))
      .map(slot => `${slot.resource}.${slot.path.join('.')}`),
  )
  assert.deepEqual([...held].sort(), hidden.sort())
  assert.ok(canaries.length > 500)
  assert.equal(new Set(canaries.map(({ text }) => text)).size, canaries.length)
})

for (const viewer of viewers) {
  test(`${viewer.name} sees the secrets that are open to them, and no others, whatever they ask`, async () => {
    const cleared = clearedFor(viewer)
    const seen = new Set<string>()
    const key = keys.get(viewer.name)
    await eachOf(requestsOf(contract), async ({ path, operation }) => {
      const times = Array.from({ length: 5 }, () => '2026-06-01T00:00:00Z')
      for (const base of key ? [bases.canonical] : Object.values(bases)) {
        const exchange = await ask(publicUrl, base + withTimes(path, times), { key })
        for (const text of foundIn(told(exchange))) {
          assert.ok(cleared.has(text), `${viewer.name} finds ${text} in ${operation.id} ${path}`)
          seen.add(text)
        }
      }
    })
    assert.deepEqual([...seen].sort(), [...cleared].sort(), 'what is open to them')
  })
}

test('a section that was left out by the key’s scopes is not in the answer at all', async () => {
  const { body } = await ask(publicUrl, `${bases.canonical}/me/nation`, { key: keys.get('narrow') })
  const { data } = JSON.parse(body) as { data: Record<string, unknown> }
  for (const section of ['military', 'economy', 'assignments']) assert.ok(!(section in data), section)
  assert.ok('production' in data)
})

test('no page beside the API holds a secret, nor the name of what nobody may read', async () => {
  const pages = await Promise.all(
    ['/openapi.json', '/docs', '/docs/', '/healthz', '/readyz', `${bases.canonical}/game`, '/nothing'].map(
      path => ask(publicUrl, path),
    ),
  )
  for (const { body } of pages) {
    assert.deepEqual([...foundIn(body)], [])
    for (const name of [
      'kept_string',
      'kept_secretly',
      'Canary of words',
      'moderation_notes',
      'can_view_treasury',
    ]) {
      assert.ok(!body.includes(name), name)
    }
  }
})

test('errors quote no secret: of the caller, of the key, of the database', async () => {
  const odd = [
    { path: `${bases.canonical}/nations?page=${keys.get('leader')}` },
    { path: `${bases.canonical}/nations/${keys.get('leader')}` },
    { path: `/${keys.get('leader')}` },
    { path: `${bases.canonical}/discord/verify/${codes[0]}x` },
    { path: `${bases.canonical}/me/nation`, key: `${keys.get('leader')}x` },
    { path: `${bases.canonical}/me/nation`, key: operatorToken },
    { path: `${bases.canonical}/me/nation?include=${codes[0]}`, key: keys.get('leader') },
  ]
  for (const { path, key } of odd) {
    const exchange = await ask(publicUrl, path, { key })
    assert.ok(exchange.status >= 400)
    assert.deepEqual([...foundIn(told(exchange))], [], path)
  }
})

test('a code is redeemed without a word of what is secret about its nation', async () => {
  for (const code of codes) {
    for (const status of [200, 410]) {
      const exchange = await ask(publicUrl, `${bases.mirror}/discord/verify/${code}`)
      assert.equal(exchange.status, status)
      assert.deepEqual([...foundIn(told(exchange))], [])
    }
  }
})

test('neither the log at its loudest nor the metrics hold a secret, also when everything breaks', async () => {
  await withClient(async client => {
    // The database quotes values in its messages: these must end there.
    await client.query(`
      create function chancery_secret.complain() returns trigger language plpgsql as
      $$ begin raise exception 'no place for %', new; end $$;
      create trigger complain before insert on chancery_secret.nation_private for each row execute function chancery_secret.complain()`)
    const [text] = secretsOf('nation', 'n_leader', ['player'])
    const broken = await operate('POST', '/facts', { facts: [text] }, { 'idempotency-key': 'broken' })
    assert.equal(broken.status, 500)
    assert.deepEqual([...foundIn(broken.body)], [])
    await client.query('alter table chancery_secret.nation_private rename to elsewhere')
    for (const viewer of viewers) {
      const exchange = await ask(publicUrl, `${bases.canonical}/me/nation`, { key: keys.get(viewer.name) })
      assert.ok([500, 401, 403].includes(exchange.status), `${viewer.name} ${exchange.status}`)
      assert.deepEqual([...foundIn(told(exchange))], [])
    }
    await client.query('alter table chancery_access.api_key rename to elsewhere')
    await client.query('update chancery_access.pulse set version = version + 1')
    await new Promise(resolve => setTimeout(resolve, 500))
    for (const path of ['/me/key', '/nations', `/discord/verify/${codes[0]}`]) {
      const exchange = await ask(publicUrl, bases.canonical + path, { key: keys.get('leader') })
      assert.equal(exchange.status, 500)
      assert.deepEqual([...foundIn(told(exchange))], [])
    }
  })
  const metrics = await operate('GET', '/metrics')
  assert.match(metrics.body, /chancery_requests_total/)
  assert.deepEqual([...foundIn(metrics.body)], [])
  assert.match(written, /a request failed/)
  assert.deepEqual([...foundIn(written)], [])
})

test('the database keeps no key and no code', async () => {
  await withClient(async client => {
    for (const table of ['elsewhere', 'verification_code']) {
      const { rows } = await client.query(`select t::text from chancery_access.${table} t`)
      assert.ok(rows.length > 0)
      const secrets = [...keys.values(), ...codes].flatMap(text => [text, Buffer.from(text).toString('hex')])
      for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret))
    }
  })
})

async function withClient(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
