import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Attribute, Profile } from '@chancery/contract'
import type { RunningServer } from '../../src/index.ts'
import { createPool, sql } from '../../src/store/database.ts'
import {
  attribute,
  changed,
  createGameHost,
  type GameHost,
  ingest,
  operate,
  put,
  read,
} from '../profile/games.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { until } from '../support/until.ts'

// A server goes on with the profile it was started with, while another is started whose profile tightens classes.
const attributes: Attribute[] = [
  attribute('closed'),
  attribute('buried'),
  attribute('kept'),
  attribute('narrowed', { class: 'player_private', scope: 'economy.read' }),
]
const tightened: Attribute[] = [
  attribute('closed', { class: 'player_private', scope: 'economy.read' }),
  attribute('buried', { class: 'admin_only' }),
  attribute('kept'),
  attribute('narrowed', { class: 'admin_only' }),
]
const said = { closed: 'value one', buried: 'value two', kept: 'open', narrowed: 'value four' }
const secrets = /value (one|two|four)/

let host: GameHost
let former: RunningServer
let later: RunningServer
let key: string
const updatedAt: Record<string, string> = {}

const withAttributes = (nation: Attribute[]): Profile =>
  changed(profile => {
    profile.attributes.nation = nation
    profile.attributes.alliance = [
      attribute('seat', nation === tightened ? { class: 'alliance_private', scope: 'treasury.read' } : {}),
    ]
  })

before(async () => {
  host = await createGameHost()
  former = await host.start(withAttributes(attributes))
  await ingest(former, [
    {
      ...put('nation', { id: 'n1', nation_name: 'Roma', player: 'p1', attributes: said }),
      at: '2026-06-01T00:00:00Z',
    },
    { ...put('nation', { id: 'n2', nation_name: 'Ostia' }), at: '2026-06-01T00:00:00Z' },
    put('alliance', { id: 'a1', name: 'Senate', attributes: { seat: 'value one' } }),
    put('alliance_member', { nation_id: 'n1', alliance_id: 'a1', rank: 'consul' }),
  ])
  const made = await operate(former, 'POST', '/keys', {
    player_id: 'p1',
    name: 'own',
    scopes: ['nation.read', 'economy.read', 'treasury.read'],
  })
  key = String(made.body.key)
  // The one that runs remembers the body of before.
  for (const id of ['n1', 'n2']) {
    const { data } = await read(former, `/nations/${id}`)
    updatedAt[id] = (data as { updated_at: string }).updated_at
  }
  later = await host.start(withAttributes(tightened))
})
after(() => host.close())

const paths = ['/nations/n1', '/nations', '/nations?search=rom', '/alliances/a1', '/alliances']

test('a field that is no longer public disappears from every public response', async () => {
  for (const path of paths) {
    const { status, text } = await read(later, path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(text, secrets, path)
  }
  const { data } = await read(later, '/nations/n1')
  assert.deepEqual((data as { attributes: object }).attributes, { kept: 'open' })
})

test('it leaves those of processes that run with the former profile too, within a second', async () => {
  const startedAt = performance.now()
  let askedAt = startedAt
  await until(async () => {
    askedAt = performance.now()
    const bodies = await Promise.all(paths.map(async path => (await read(former, path)).text))
    return !bodies.some(body => secrets.test(body))
  }, 'no body holds a secret')
  assert.ok(askedAt - startedAt < allowedMs(1_000, performance.now() - askedAt))
})

test('its owner reads it through the scope that it has now, and what is for admins only not at all', async () => {
  const own = await read(later, '/me/nation', key)
  const { attributes: seen } = own.data as { attributes: object }
  assert.deepEqual(seen, { kept: 'open', closed: 'value one' })
  const alliance = await read(later, '/alliances/a1?include=treasury', key)
  assert.deepEqual((alliance.data as { attributes: object }).attributes, { seat: 'value one' })
})

test('an item that lost a public value is reported as changed, and no other', async () => {
  for (const id of ['n1', 'n2']) {
    const { data } = await read(later, `/nations/${id}`)
    const isSame = (data as { updated_at: string }).updated_at === updatedAt[id]
    assert.equal(isSame, id === 'n2', id)
  }
})

test('values live by class: the public tables hold none that is private', async () => {
  const pool = createPool({ target: { connectionString: host.databaseUrl }, connectionsMax: 1 })
  try {
    const rows = await pool.rows(sql`
      select n.attributes, p.attributes as private, p.admin_attributes as admin
      from chancery_world.nation n join chancery_secret.nation_private p on p.nation_id = n.id where n.id = 'n1'`)
    assert.deepEqual(rows, [
      {
        attributes: { kept: 'open' },
        private: { closed: 'value one' },
        admin: { buried: 'value two', narrowed: 'value four' },
      },
    ])
    const alliances = await pool.rows(sql`
      select a.attributes, p.attributes as private
      from chancery_world.alliance a join chancery_secret.alliance_private p on p.alliance_id = a.id`)
    assert.deepEqual(alliances, [{ attributes: {}, private: { seat: 'value one' } }])
  } finally {
    await pool.close()
  }
})

test('an attribute that a former profile made public is withheld where it is private now', async () => {
  // The process of before still stores it where everybody may read.
  await ingest(former, [put('nation', { id: 'n2', player: 'p2', attributes: { closed: 'value one' } })])
  const { text } = await read(later, '/nations/n2')
  assert.doesNotMatch(text, secrets)
  const made = await operate(later, 'POST', '/keys', {
    player_id: 'p2',
    name: 'own',
    scopes: ['economy.read'],
  })
  const own = await read(later, '/me/nation', String(made.body.key))
  assert.deepEqual((own.data as { attributes: object }).attributes, { closed: 'value one' })
})
