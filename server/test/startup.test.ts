import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ConfigError, readConfig, StartupError, startServer } from '../src/index.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let dataDir: string
before(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'chancery-startup-'))
})
after(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const start = (env: Record<string, string>) =>
  startServer(
    readConfig({
      CHANCERY_HOST: '127.0.0.1',
      CHANCERY_PORT: '0',
      CHANCERY_OPERATOR_PORT: '0',
      CHANCERY_DATA_DIR: dataDir,
      CHANCERY_DATABASE_URL: database.url,
      CHANCERY_LOG_LEVEL: 'silent',
      ...env,
    }),
  )

/** One line, of the kind that the command line prints without a stack. */
const oneLine = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error))
  assert.match(error.message, words)
  assert.doesNotMatch(error.message, /\n/)
  return true
}

for (const variable of ['CHANCERY_PORT', 'CHANCERY_OPERATOR_PORT']) {
  test(`a port in use is told with ${variable}, and leaves nothing open`, async t => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    await assert.rejects(
      start({ [variable]: port }),
      oneLine(new RegExp(`port ${port} .* in use: set ${variable}`)),
    )
    // Nothing of the attempt holds the database or a port: the next start succeeds.
    const server = await start({})
    await server.close()
  })
}

test('a database that cannot be reached is told without its password', async () => {
  const refused = start({ CHANCERY_DATABASE_URL: 'postgres://game:hunter2@127.0.0.1:1/world' })
  await assert.rejects(refused, oneLine(/CHANCERY_DATABASE_URL: PostgreSQL at 127\.0\.0\.1:1\/world/))
  await refused.catch(error => assert.doesNotMatch(error.message, /hunter2/))
})

test('a game profile that is wrong is told with the file and the place', async () => {
  const file = join(dataDir, 'game.json')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), oneLine(/cannot be read/))
  await writeFile(file, '{')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), oneLine(/not JSON/))
  await writeFile(file, '{"name":7}')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), (error: unknown) => {
    assert.ok(error instanceof StartupError)
    const lines = error.message.split('\n')
    assert.ok(lines.length > 10)
    for (const line of lines) assert.match(line, /^CHANCERY_GAME_FILE: .*game\.json: \/\w+ /)
    return true
  })
})

test('every wrong variable is named, with what it takes', () => {
  const env = { CHANCERY_PORT: '99999', CHANCERY_LOG_LEVEL: 'loud', CHANCERY_TRUSTED_PROXIES: 'everybody' }
  assert.throws(
    () => readConfig(env),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      const lines = error.message.split('\n')
      assert.equal(lines.length, 3)
      for (const name of Object.keys(env))
        assert.ok(
          lines.some(line => line.startsWith(`${name}: `)),
          name,
        )
      return true
    },
  )
})
