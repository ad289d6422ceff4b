import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type EmbeddedServer, startEmbedded } from '../../src/store/embedded/embedded-server.ts'
import { migrate } from '../../src/store/migrations.ts'
import { smallWorld } from '../http/world.ts'
import { asAdministrator, urlOf, withDatabase } from '../support/database-url.ts'
import { fastDirectory } from '../support/test-postgres.ts'
import { startTestServer } from '../support/test-server.ts'

// A server of its own: on one where Chancery was before, its roles are there already.
let dir: string
let server: EmbeddedServer
before(async () => {
  dir = await mkdtemp(join(await fastDirectory(), 'chancery-owner-'))
  await chmod(dir, 0o711)
  server = await startEmbedded({ dataDir: join(dir, 'data'), fsync: false })
})
after(async () => {
  await server.close()
  await rm(dir, { recursive: true, force: true, maxRetries: 20 })
})

test('an owner who may create roles, and is no superuser, migrates and serves', async () => {
  const administrator = urlOf(server.connection, 'postgres')
  await asAdministrator(administrator, async client => {
    await client.query('create role game_office login createrole')
    await client.query('create database game_office owner game_office')
  })
  const url = new URL(withDatabase(administrator, 'game_office'))
  url.username = 'game_office'
  assert.ok((await migrate({ connectionString: url.href })).length > 0)
  const chancery = await startTestServer({}, { databaseUrl: url.href })
  try {
    await chancery.ingest(smallWorld())
    const { key } = await chancery.makeKey({ nation_id: 'n1' })
    await chancery.read('/nations')
    await chancery.read('/me/nation', { key })
  } finally {
    await chancery.close()
  }
})
