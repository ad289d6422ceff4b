import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../../src/access/key.ts'
import { sendRaw } from '../http/raw.ts'
import { everyOperation, smallWorld } from '../http/world.ts'
import { query } from '../support/database-url.ts'
import { startTestServer } from '../support/test-server.ts'

const tables = ['key_request', 'address_request', 'key_usage_minute', 'key_usage_hour', 'address_usage_hour']

test('no code, key, path, query value or header is in any table of the request log', async t => {
  const chancery = await startTestServer()
  t.after(() => chancery.close())
  await chancery.ingest(smallWorld(), { waits: false })
  const { key } = await chancery.makeKey({ nation_id: 'n1' }, ['military.read'])
  const { id: revokedId, key: revoked } = await chancery.makeKey({ nation_id: 'n1' })
  await chancery.operate('POST', `/keys/${revokedId}/revoke`)
  const unknown = generateKey()
  const mistyped = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
  const code = await chancery.makeCode('n1')
  const bound = await chancery.makeCode('n1', 'chat-account-77')
  const searched = 'a-search-of-ones-own'
  const given = { 'x-request-id': 'an-untrusted-id', 'user-agent': 'an-untrusted-agent' }

  const request = async (path: string, bearer?: string) => {
    const response = await chancery.get(path, {
      headers: { ...given, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    })
    // A stream does not end.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel()
    else await response.arrayBuffer()
  }
  let requests = 0
  for (const bearer of [key, revoked, unknown, mistyped, undefined]) {
    for (const { path } of everyOperation)
      await request(`${path}${path.includes('?') ? '&' : '?'}search=${searched}`, bearer)
    await request(`/nations?search=${searched}&ids=${key}`, bearer)
    await request(`/discord/verify/${bound}?for=chat-account-78`, bearer)
    await request(`/nations/${code}/${key}`, bearer)
    await request(`/${searched}`, bearer)
    requests += everyOperation.length + 4
  }
  await request(`/discord/verify/${bound}?for=chat-account-77`, key)
  await request(`/discord/verify/${code}`)
  for (const line of [`GET /${code}?${key} HTTP/9.9`, `${searched} / HTTP/1.1`, `GET /%zz${code} HTTP/1.1`]) {
    const { responses } = await sendRaw(chancery.url, `${line}\r\nHost: x\r\nX: ${key}\r\n\r\n`)
    assert.equal(responses.length, 1)
  }
  requests += 5
  await chancery.operate('GET', '/usage/keys')

  const rows = []
  for (const table of tables)
    for (const { row } of await query<{ row: string }>(
      chancery.databaseUrl,
      `select j::text as row from chancery_access.${table} j`,
    ))
      rows.push(`${table} ${row}`)
  const lines = rows.filter(row => /^(key|address)_request /.test(row))
  assert.equal(lines.length, requests, 'every request has a row')
  for (const table of tables)
    assert.ok(
      rows.some(row => row.startsWith(table)),
      table,
    )

  const written = rows.join('\n')
  const keys = [key, revoked, unknown, mistyped].flatMap(text => [text, text.slice(4), text.slice(4, 16)])
  const others = [code, bound, searched, 'chat-account', 'untrusted', 'api/', 'search', '?', '%']
  for (const secret of [...keys, ...others, ...others.map(text => text.toLowerCase())])
    assert.ok(!written.includes(secret), `${secret} is in the request log`)
})
