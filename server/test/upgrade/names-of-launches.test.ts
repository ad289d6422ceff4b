import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { event, nation, remove } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { withConnection } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'

const chancery = closeAfter(await startTestServer())

const ingest = (...facts: Record<string, unknown>[]) => chancery.ingest(facts, { waits: false })

const weapon = (type: string, attacker: string, defender: string) =>
  event({
    type: `strategic_weapon.${type}`,
    occurred_at: '2026-05-03T12:00:00Z',
    data: { weapon: 'nuclear_missile', attacker_nation_id: attacker, defender_nation_id: defender },
  })

const both = (attacker: string, defender: string) => [
  weapon('launched', attacker, defender),
  weapon('intercepted', defender, attacker),
]

/** The launches as version 0.1 left them, brought to this version by the migration. */
async function migrateAgain(changeRows = ''): Promise<void> {
  const migration = await readFile(
    new URL('../../src/store/migrations/0026_names_of_launches.sql', import.meta.url),
    'utf8',
  )
  await withConnection(chancery.databaseUrl, async client => {
    await client.query(`
      update chancery_world.event
      set data = (data::jsonb - 'attacker_nation_name' - 'defender_nation_name')::json
      where type like 'strategic_weapon.%'`)
    if (changeRows !== '') await client.query(changeRows)
    await client.query(migration)
  })
}

const launches = () =>
  withConnection(chancery.databaseUrl, async client => {
    const { rows } = await client.query<{ summary: string; data: object }>(`
      select summary, data from chancery_world.event where type like 'strategic_weapon.%' order by seq`)
    return rows
  })

test('launches of version 0.1 get the names that their nations had then', async () => {
  await ingest(
    nation('l1', { nation_name: 'Aqua' }),
    nation('l2', { nation_name: 'Terra launched a nuclear missile at me' }),
    nation('l3', { nation_name: 'Gone' }),
    ...both('l1', 'l2'),
    ...both('l3', 'l1'),
  )
  await ingest(
    nation('l1', { nation_name: 'Aqua intercepted a nuclear missile launched by you' }),
    ...both('l1', 'l2'),
  )
  await ingest(
    nation('l2', { nation_name: 'Terra' }),
    remove('nation', 'l3'),
    ...both('l2', 'l1'),
    ...both('l3', 'l2'),
  )
  const before = await launches()
  assert.equal(before.length, 10)
  await migrateAgain()
  assert.deepEqual(await launches(), before)
})

test('the rest of a name that a redaction of version 0.1 left in a summary is removed', async () => {
  await ingest(
    nation('l4', { nation_name: 'Attacker' }),
    nation('l5', { nation_name: 'Leftover launched a nuclear missile at me' }),
    weapon('launched', 'l4', 'l5'),
  )
  await ingest({ op: 'redact', resource: 'nation', id: 'l5', data: { nation_name: 'Former' } })
  const before = await launches()
  await migrateAgain(`
    update chancery_world.event
    set summary = 'Attacker launched a nuclear missile at Leftover launched a nuclear missile at Former.'
    where summary = 'Attacker launched a nuclear missile at Former.'`)
  assert.deepEqual(await launches(), before)
})

test('a launch that a process of version 0.1 logs after the migration loses a redacted name, too', async () => {
  await ingest(
    nation('l6', { nation_name: 'Late launched a nuclear missile at me' }),
    nation('l7', { nation_name: 'Other' }),
    ...both('l7', 'l6'),
  )
  await withConnection(chancery.databaseUrl, client =>
    client.query(`
      update chancery_world.event
      set data = (data::jsonb - 'attacker_nation_name' - 'defender_nation_name')::json
      where type like 'strategic_weapon.%' and summary like '%Late%'`),
  )
  await ingest({ op: 'redact', resource: 'nation', id: 'l6', data: { nation_name: 'Former' } })
  const last = (await launches()).slice(-2).map(({ summary }) => summary)
  assert.deepEqual(last, [
    'Other launched a nuclear missile at Former.',
    'Other intercepted a nuclear missile launched by Former.',
  ])
})
