import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attribute, Profile } from '@chancery/contract'
import { createPool, sql } from '../../src/store/database.ts'
import { attribute, changed, createGameHost, ingest, put, read } from '../profile/games.ts'
import { closeAfter } from '../support/close-after.ts'
import { allowedMs, until } from '../support/until.ts'

// A server keeps the profile it was started with, while another one starts with a profile that tightens classes.
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
const values = { closed: 'value one', buried: 'value two', kept: 'open', narrowed: 'value four' }
const secrets = /value (one|two|four)/

const updatedAt: Record<string, unknown> = {}

const withAttributes = (nation: Attribute[]): Profile =>
  changed(profile => {
    profile.attributes.nation = nation
    profile.attributes.alliance = [
      attribute('seat', nation === tightened ? { class: 'alliance_private', scope: 'treasury.read' } : {}),
    ]
  })

const host = closeAfter(await createGameHost())
const former = await host.start(withAttributes(attributes))
await ingest(former, [
  {
    ...put('nation', { id: 'n1', nation_name: 'Roma', player: 'p1', attributes: values }),
    at: '2026-06-01T00:00:00Z',
  },
  { ...put('nation', { id: 'n2', nation_name: 'Ostia' }), at: '2026-06-01T00:00:00Z' },
  put('alliance', { id: 'a1', name: 'Senate', attributes: { seat: 'value one' } }),
  put('alliance_member', { nation_id: 'n1', alliance_id: 'a1', rank: 'consul' }),
])
const { key } = await former.makeKey({ player_id: 'p1' }, ['nation.read', 'economy.read', 'treasury.read'])
// The running server caches the former bodies.
for (const id of ['n1', 'n2']) updatedAt[id] = (await read(former, `/nations/${id}`)).data.updated_at
const later = await host.start(withAttributes(tightened))

const paths = ['/nations/n1', '/nations', '/nations?search=rom', '/alliances/a1', '/alliances']

test('a field that is no longer public disappears from every public response', async () => {
  for (const path of paths) {
    const { status, text } = await read(later, path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(text, secrets, path)
  }
  const { data } = await read(later, '/nations/n1')
  assert.deepEqual(data.attributes, { kept: 'open' })
})

test('within a second it also disappears from the responses of processes with the former profile', async () => {
  const startedAt = performance.now()
  let sentAt = startedAt
  await until(async () => {
    sentAt = performance.now()
    const bodies = await Promise.all(paths.map(async path => (await read(former, path)).text))
    return !bodies.some(body => secrets.test(body))
  }, 'no body holds a secret')
  assert.ok(sentAt - startedAt < allowedMs(1_000, performance.now() - sentAt))
})

test('its owner reads it with its new scope, and no key reads an admin_only field', async () => {
  const own = await read(later, '/me/nation', key)
  assert.deepEqual(own.data.attributes, { kept: 'open', closed: 'value one' })
  const alliance = await read(later, '/alliances/a1?include=treasury', key)
  assert.deepEqual(alliance.data.attributes, { seat: 'value one' })
})

test('an item that lost a public value is reported as changed, and no other', async () => {
  for (const id of ['n1', 'n2']) {
    const { data } = await read(later, `/nations/${id}`)
    const isSame = data.updated_at === updatedAt[id]
    assert.equal(isSame, id === 'n2', id)
  }
})

test('values are stored by class: public tables contain no private value', async () => {
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
  // The process with the former profile still stores it in the public table.
  await ingest(former, [put('nation', { id: 'n2', player: 'p2', attributes: { closed: 'value one' } })])
  const { text } = await read(later, '/nations/n2')
  assert.doesNotMatch(text, secrets)
  const made = await later.makeKey({ player_id: 'p2' }, ['economy.read'])
  const own = await read(later, '/me/nation', made.key)
  assert.deepEqual(own.data.attributes, { closed: 'value one' })
})
