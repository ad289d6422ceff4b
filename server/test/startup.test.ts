import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { generateKey } from '../src/access/key.ts'
import { ConfigError, readConfig, StartupError, startServer } from '../src/index.ts'
import { operateAs, statusAs } from './operator/tokens.ts'
import { useTestDatabase } from './support/fixture.ts'
import { listen } from './support/listen.ts'
import { longTimeouts } from './support/test-server.ts'

const database = useTestDatabase()
let dataDir: string
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chancery-startup-'))
})
after(() => rm(dataDir, { recursive: true, force: true }))

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
    longTimeouts,
  )

/** Matches a StartupError of one line, which the command line prints without a stack. */
const oneLine = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartupError, String(error))
  assert.match(error.message, words)
  assert.doesNotMatch(error.message, /\n/)
  return true
}

for (const variable of ['CHANCERY_PORT', 'CHANCERY_OPERATOR_PORT']) {
  test(`a port in use is reported with ${variable}, and leaves nothing open`, async t => {
    const port = String(await listen(createServer(), t))
    await assert.rejects(
      start({ [variable]: port }),
      oneLine(new RegExp(`port ${port} .* in use: set ${variable}`)),
    )
    // The failed start has released the database and its ports.
    const server = await start({})
    await server.close()
  })
}

test('a database that cannot be reached is reported without its password', async () => {
  const refused = start({ CHANCERY_DATABASE_URL: 'postgres://game:hunter2@127.0.0.1:1/world' })
  await assert.rejects(refused, oneLine(/CHANCERY_DATABASE_URL: PostgreSQL at 127\.0\.0\.1:1\/world/))
  await refused.catch(error => assert.doesNotMatch(error.message, /hunter2/))
})

test('wrong replicas are reported without their passwords', () => {
  const one = 'postgres://game:hunter2@db2/world'
  const messageOf = (env: Record<string, string>) => {
    try {
      readConfig(env)
    } catch (error) {
      return (error as Error).message
    }
    return assert.fail('it is valid')
  }
  for (const value of ['db2', `${one} db3`, `${one},mysql://db3/world`, Array(9).fill(one).join(' ')]) {
    const message = messageOf({ CHANCERY_DATABASE_URL: one, CHANCERY_READ_DATABASE_URL: value })
    assert.match(message, /^CHANCERY_READ_DATABASE_URL must be postgres:\/\/ URLs.*, at most 8$/)
  }
  const bundled = messageOf({ CHANCERY_READ_DATABASE_URL: one, CHANCERY_REPLICA_LAG_SECONDS: '0' })
  assert.match(bundled, /CHANCERY_REPLICA_LAG_SECONDS must be a whole number from 1 to 60/)
  assert.match(bundled, /CHANCERY_READ_DATABASE_URL: set CHANCERY_DATABASE_URL too/)
  const { readDatabaseUrls } = readConfig({
    CHANCERY_DATABASE_URL: one,
    CHANCERY_READ_DATABASE_URL: `${one}, ${one}?sslmode=require\n${one}`,
  })
  assert.deepEqual(readDatabaseUrls, [one, `${one}?sslmode=require`, one])
})

test('an invalid game profile is reported with the file and the position', async () => {
  const file = join(dataDir, 'game.json')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), oneLine(/cannot be read/))
  await writeFile(file, '{')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), oneLine(/not valid JSON/))
  await writeFile(file, '{"name":7}')
  await assert.rejects(start({ CHANCERY_GAME_FILE: file }), (error: unknown) => {
    assert.ok(error instanceof StartupError)
    const lines = error.message.split('\n')
    assert.ok(lines.length > 10)
    for (const line of lines) assert.match(line, /^CHANCERY_GAME_FILE: .*game\.json: \/\w+ /)
    return true
  })
})

/** The message of the error that a configuration causes. */
function configError(env: Record<string, string>): string {
  let message = ''
  assert.throws(
    () => readConfig(env),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError, JSON.stringify(env))
      message = error.message
      return true
    },
  )
  return message
}

for (const [variable, values] of Object.entries({
  CHANCERY_TRUSTED_PROXIES:
    '1 1,127.0.0.1 10 0.0.0.0/0 ::/0 0.0.0.0/1 2000::/3 1/8 ::ffff:0:0/96 10.0.0.0/40 127.0.0.1,'.split(' '),
  CHANCERY_PUBLIC_URL: [
    'https://user:hunter2@api.game.example',
    'https://api.game.example/eu1/docs',
    'https://api.game.example/api/v1',
    'https://api.game.example/e%751',
    'https://api.game.example//eu1',
    'ftp://api.game.example/eu1',
    'https://api.game.example?a=b',
    'https://api.game.example#a',
  ],
})) {
  test(`${variable} is refused if it would have another effect than it seems to`, () => {
    for (const value of values) {
      const message = configError({ [variable]: value })
      const expected = `^${variable} must be .*such as https|^${variable} must be .*nor a range wider than /8`
      assert.match(message, new RegExp(expected))
      assert.doesNotMatch(message, /hunter2/)
    }
  })
}

test('valid proxies and public addresses are accepted', () => {
  const list = '127.0.0.1, ::1,10.0.0.0/8,fc00::/7,172.30.80.2,fe80::/10'
  assert.equal(readConfig({ CHANCERY_TRUSTED_PROXIES: list }).trustedProxies.length, 6)
  const { publicUrl } = readConfig({ CHANCERY_PUBLIC_URL: 'https://api.game.example:8443/' })
  assert.equal(publicUrl, 'https://api.game.example:8443')
  for (const value of ['https://api.game.example/eu1', 'https://API.game.example:443/eu1/'])
    assert.equal(readConfig({ CHANCERY_PUBLIC_URL: value }).publicUrl, 'https://api.game.example/eu1')
})

test('events are kept for days or eras, or all of them', () => {
  const keptWith = (value: string) => readConfig({ CHANCERY_EVENTS_KEEP: value }).eventsKept
  assert.equal(keptWith(''), undefined)
  assert.deepEqual(keptWith('30 days'), { days: 30 })
  assert.deepEqual(keptWith('1 era'), { eras: 1 })
  for (const value of ['29 days', '36501 days', '0 eras', '101 eras', '3', 'days', '-30 days', '30 weeks'])
    assert.match(
      configError({ CHANCERY_EVENTS_KEEP: value }),
      /^CHANCERY_EVENTS_KEEP must be a number of days or/,
    )
  const archiveWith = (env: Record<string, string>) => readConfig(env).eventsArchiveDir
  assert.equal(archiveWith({ CHANCERY_DATA_DIR: '/data' }), '/data/events')
  assert.equal(archiveWith({ CHANCERY_EVENTS_ARCHIVE: '/archive' }), '/archive')
  assert.equal(archiveWith({ CHANCERY_EVENTS_ARCHIVE: 'none' }), undefined)
})

test('an unknown variable is named at the start with the known one that is most like it', () => {
  const { unknownVariables } = readConfig({
    CHANCERY_PROT: '80',
    CHANCERY_TRUSTED_PROXY: '127.0.0.1',
    CHANCERY_SOMETHING_ELSE_ALTOGETHER: '',
    CHANCERY_TEST_SEED: '1',
    CHANCERY_GAME_DATABASE_URL: '',
    OTHER_PROT: '80',
  })
  assert.deepEqual(unknownVariables, [
    { name: 'CHANCERY_PROT', nearest: 'CHANCERY_PORT' },
    { name: 'CHANCERY_TRUSTED_PROXY', nearest: 'CHANCERY_TRUSTED_PROXIES' },
    { name: 'CHANCERY_SOMETHING_ELSE_ALTOGETHER', nearest: undefined },
  ])
})

test('an operator token that is a directory is reported in one line', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-startup-'))
  await mkdir(join(dir, 'operator-token'))
  await assert.rejects(
    start({ CHANCERY_DATA_DIR: dir }),
    oneLine(/operator-token cannot be read \(EISDIR\).*CHANCERY_ADMIN_TOKEN/),
  )
  await rm(dir, { recursive: true })
})

test('a data directory that cannot be created is reported in one line', {
  skip: process.platform !== 'linux',
}, async () => {
  for (const dir of ['/proc/chancery', '/proc/chancery/data', join(dataDir, 'addresses.json', 'below')])
    await assert.rejects(
      start({ CHANCERY_DATA_DIR: dir }),
      oneLine(/^CHANCERY_DATA_DIR: .* cannot be created \(E[A-Z]+\): choose another directory$/),
    )
})

test('every wrong variable is named, with what it must be', () => {
  const env = { CHANCERY_PORT: '99999', CHANCERY_LOG_LEVEL: 'loud', CHANCERY_TRUSTED_PROXIES: 'everyone' }
  const lines = configError(env).split('\n')
  assert.deepEqual(lines.map(line => line.split(' ')[0]).sort(), Object.keys(env).sort())
})

const adminToken = 'admin-token-of-a-startup-test'

test('CHANCERY_ADMIN_TOKEN sets the admin token, whatever token CHANCERY_OPERATOR_TOKEN holds for senders', async t => {
  const server = await start({
    CHANCERY_ADMIN_TOKEN: adminToken,
    CHANCERY_OPERATOR_TOKEN: 'token-of-a-sender',
  })
  t.after(() => server.close())
  assert.equal(await statusAs(server.operatorUrl, adminToken, '/tokens'), 200)
  assert.equal(await statusAs(server.operatorUrl, 'token-of-a-sender', '/tokens'), 401)
})

test('CHANCERY_OPERATOR_TOKEN alone is refused: the token of a sender never becomes the admin token', async () => {
  const wrong = start({ CHANCERY_OPERATOR_TOKEN: 'token-of-a-sender' })
  await assert.rejects(
    wrong,
    oneLine(/^CHANCERY_OPERATOR_TOKEN no longer sets the admin token.*CHANCERY_ADMIN_TOKEN/),
  )
  await wrong.catch(error => assert.ok(!error.message.includes('token-of-a-sender')))
})

test('an admin token that is stored as a named token is refused, valid or ended, in the variable and in the file', async t => {
  const server = await start({ CHANCERY_ADMIN_TOKEN: adminToken })
  const operate = async (path: string, body: object) => {
    const response = await operateAs(server.operatorUrl, adminToken, 'POST', path, body)
    return (await response.json()) as { id: string; token: string }
  }
  const valid = await operate('/tokens', { name: 'game-server', roles: ['facts'] })
  const ended = await operate('/tokens', { name: 'old-sender', roles: ['facts'] })
  await operate(`/tokens/${ended.id}/revoke`, {})
  await server.close()
  for (const [{ token }, name] of [
    [valid, 'game-server'],
    [ended, 'old-sender'],
  ] as const) {
    const wrong = start({ CHANCERY_ADMIN_TOKEN: token })
    await assert.rejects(wrong, oneLine(new RegExp(`^CHANCERY_ADMIN_TOKEN: .*named token ${name}`)))
    await wrong.catch(error => assert.ok(!error.message.includes(token)))
  }
  const otherDir = await mkdtemp(join(tmpdir(), 'chancery-startup-'))
  t.after(() => rm(otherDir, { recursive: true, force: true }))
  await writeFile(join(otherDir, 'operator-token'), `${valid.token}\n`)
  await assert.rejects(
    start({ CHANCERY_DATA_DIR: otherDir }),
    oneLine(/operator-token: .*named token game-server/),
  )
})

test('an admin token that has the form of an API key or a webhook secret is refused without its text', () => {
  for (const text of [generateKey(), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
    const message = configError({ CHANCERY_ADMIN_TOKEN: text })
    assert.ok(message.startsWith('CHANCERY_ADMIN_TOKEN must be ') && !message.includes(text))
  }
})
