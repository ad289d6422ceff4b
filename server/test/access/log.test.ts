import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey } from '../../src/access/key.ts'
import { cookieName } from '../../src/account/session/tokens.ts'
import { ConfigError, readConfig } from '../../src/index.ts'
import { sendRaw } from '../http/raw.ts'
import { assertError, readResponse } from '../http/responses.ts'
import { playerOf, secrets, smallWorld } from '../http/world.ts'
import { put } from '../ingest/facts.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { startTestServer } from '../support/test-server.ts'

const operatorToken = 'operator-token-in-a-log'
const password = 'a-password-in-a-url'

/** At level trace, with a Valkey that does not exist. */
const startLogged = (databaseUrl: string, dataDir: string): Promise<ServerProcess> =>
  startServerProcess(
    {
      CHANCERY_ADMIN_TOKEN: operatorToken,
      CHANCERY_LOG_LEVEL: 'trace',
      CHANCERY_VALKEY_URL: `redis://:${password}@127.0.0.1:1`,
    },
    { databaseUrl, dataDir },
  )

test('no secret is logged at any level, whatever fails', async t => {
  const home = closeAfter(await startTestServer(), t)
  await home.ingest(smallWorld(), { waits: false })
  const proxy = await startTcpProxy(t, home.databaseUrl)
  const server = await startLogged(proxy.url, home.dataDir)
  t.after(server.close)

  const { key } = await home.makeKey({ nation_id: 'n1' }, ['military.read', 'treasury.read'])
  const { id: revokedId, key: revoked } = await home.makeKey({ nation_id: 'n1' })
  await home.operate('POST', `/keys/${revokedId}/revoke`)
  const unknown = generateKey()
  const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  const [code, spare] = [await home.makeCode('n1'), await home.makeCode('n1', 'chat-account-77')]
  const searched = 'a-private-search'
  const made = async (path: string, body: object) => (await home.operate('POST', path, body)).json()
  const { url: link } = (await made('/handovers', { nation_id: 'n1' })) as { url: string }
  const handover = link.split('handover=')[1] ?? ''
  const receiver = 'https://receiver.invalid/hook-that-is-secret'
  const endpoint = (await made('/webhooks', { nation_id: 'n1', url: receiver })) as {
    id: string
    secret: string
  }
  let session = ''
  const signIn = (path: string) =>
    fetch(`${server.url}/developers/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ token: handover }),
    })

  const request = async (path: string, bearer?: string) =>
    readResponse(
      await fetch(`${server.url}/api/v1${path}`, {
        headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      }),
    )
  const operate = (path: string, body: string, token = operatorToken) =>
    fetch(server.operatorUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'b1',
      },
      body,
    })
  const everything = async () => {
    for (const bearer of [key, revoked, unknown, mistyped, undefined]) {
      await request('/me/nation?include=military', bearer)
      await request('/alliances/a1?include=treasury', bearer)
      await request(`/nations?search=${encodeURIComponent(searched)}`, bearer)
      await request(`/discord/verify/${spare}?for=chat-account-78`, bearer)
    }
    await request(`/discord/verify/${code}`)
    await request(`/nations/${code}/${key}`)
    for (const text of [
      `GET /${code}\r\n`,
      `GET /api/v1/nations HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    ])
      await sendRaw(server.url, `${text}\r\n`)
    await operate('/keys', JSON.stringify({ name: key, player_id: code, [spare]: 1 }))
    await operate('/keys', `{"name":"${key}`)
    await operate(
      '/codes',
      JSON.stringify({ nation_id: 'n1', for: `${spare}\u0000` }),
      'a-wrong-operator-token',
    )
    await operate('/codes', JSON.stringify({ nation_id: 'n1', for: 'chat-account-77' }))
    await signIn('/handover')
    const signedIn = await signIn('/session')
    session ||= /session_\d+=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? ''
    const cookie = `${cookieName(server.url)}=${session}`
    await fetch(`${server.url}/developers/api/session`, { headers: { cookie } })
    const authorization = `Bearer ${operatorToken}`
    await fetch(`${server.operatorUrl}/webhooks/${endpoint.id}/test`, {
      method: 'POST',
      headers: { authorization },
    })
    const facts = [put('nation', { id: 'n1', economy: { credits: secrets.credits } })]
    await operate('/facts', JSON.stringify({ facts }))
  }
  await everything()

  // An unexpected failure: the schema differs from the statements.
  const move = (table: string, from: string, to: string) =>
    query(home.databaseUrl, `alter table ${table} rename column ${from} to ${to}`)
  const broken = ['chancery_world.nation', 'nation_name', 'gone'] as const
  await move(...broken)
  const failed = await request('/me/nation', key)
  const message = assertError(failed, 'internal_error', 'a statement that fails')
  assert.doesNotMatch(message, /column|select|nation_name|\.ts|\//i)
  assertError(await request('/nations/n3'), 'internal_error', 'a public one')
  assertError(await request(`/discord/verify/${spare}?for=chat-account-77`), 'internal_error', 'a code')
  await everything()
  await move('chancery_world.nation', 'gone', 'nation_name')

  const cutMs = Date.now()
  proxy.cut()
  await everything()
  // Loops run twice a second: each of them fails some times.
  await sleep(2_000)
  assertError(await request('/me/nation', unknown), 'unavailable', 'the database is unavailable')
  proxy.restore()

  assert.ok(handover && session && endpoint.secret)
  await server.close()
  const written = server.written()
  const lines = written
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as { msg: string; time: string; route?: string; request_id?: string })
  const { request_id } = (JSON.parse(failed.body) as { error: { request_id: string } }).error
  const line = lines.find(each => each.request_id === request_id && each.msg === 'a request failed')
  assert.equal(line?.route, '/api/v1/me/nation', 'a failure is found by its request id')
  for (const logged of [
    'a request failed',
    'rate limit store not responding: limits are per process until it recovers',
    'request admitted',
    'request rejected',
    'response cache',
    'response sent',
    'heartbeat: the world version or a key changed',
    'cached keys are stale: a key or player was changed or revoked',
    'batch received',
    'statement',
  ])
    assert.ok(
      lines.some(({ msg }) => msg === logged),
      logged,
    )

  const failedDuringOutage = lines.filter(
    ({ msg, time }) => msg === 'a background task failed' && Date.parse(time) >= cutMs,
  )
  assert.ok(failedDuringOutage.length <= 1, 'background tasks log an unavailable database once')

  const parts = [key, revoked, unknown, mistyped].flatMap(text => [text.slice(4), text.slice(4, 20)])
  const others = [
    code,
    spare,
    searched,
    operatorToken,
    'a-wrong-operator-token',
    password,
    handover,
    session,
    endpoint.secret,
    endpoint.secret.replace('whsec_', ''),
    'hook-that-is-secret',
    'chat-account-77',
    'chat-account-78',
  ]
  for (const secret of [
    ...parts,
    ...others,
    playerOf('n1'),
    String(secrets.credits),
    String(secrets.tanks),
    String(secrets.treasury),
  ])
    assert.ok(!written.includes(secret), `${secret} is in the log`)
  const unexpected = written.split('\n').filter(line => !line.includes('"msg":"statement"'))
  assert.doesNotMatch(unexpected.join('\n'), /select |insert |update /i, 'no other line contains a statement')
})

test('a configuration error is reported without its secrets', () => {
  const secretsOf: Record<string, string> = {
    CHANCERY_ADMIN_TOKEN: 'short.token-15',
    CHANCERY_DATABASE_URL: 'a_bare_password',
    CHANCERY_VALKEY_URL: 'another.password',
  }
  assert.throws(
    () => readConfig(secretsOf),
    error => {
      assert.ok(error instanceof ConfigError)
      for (const [name, secret] of Object.entries(secretsOf)) {
        assert.ok(error.message.includes(name), name)
        assert.ok(!error.message.includes(secret), name)
      }
      return true
    },
  )
})
