import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../../src/access/key.ts'
import { query } from '../access/query.ts'
import { exchange } from '../http/raw.ts'
import { everyOperation, smallWorld } from '../http/world.ts'
import { startTestServer } from '../support/test-server.ts'

const tables = ['key_call', 'address_call', 'key_minute', 'key_hour', 'address_hour']

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
  const given = { 'x-request-id': 'an-id-of-a-stranger', 'user-agent': 'an-agent-of-a-stranger' }

  const ask = async (path: string, bearer?: string) => {
    const response = await chancery.get(path, {
      headers: { ...given, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
    })
    // A stream goes on for ever.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel()
    else await response.arrayBuffer()
  }
  let asked = 0
  for (const bearer of [key, revoked, unknown, mistyped, undefined]) {
    for (const { path } of everyOperation)
      await ask(`${path}${path.includes('?') ? '&' : '?'}search=${searched}`, bearer)
    await ask(`/nations?search=${searched}&ids=${key}`, bearer)
    await ask(`/discord/verify/${bound}?for=chat-account-78`, bearer)
    await ask(`/nations/${code}/${key}`, bearer)
    await ask(`/${searched}`, bearer)
    asked += everyOperation.length + 4
  }
  await ask(`/discord/verify/${bound}?for=chat-account-77`, key)
  await ask(`/discord/verify/${code}`)
  for (const line of [`GET /${code}?${key} HTTP/9.9`, `${searched} / HTTP/1.1`, `GET /%zz${code} HTTP/1.1`]) {
    const { answers } = await exchange(chancery.url, `${line}\r\nHost: x\r\nX: ${key}\r\n\r\n`)
    assert.equal(answers.length, 1)
  }
  asked += 5
  await chancery.operate('GET', '/usage/keys')

  const rows = []
  for (const table of tables)
    for (const { row } of await query<{ row: string }>(
      chancery.databaseUrl,
      `select j::text as row from chancery_access.${table} j`,
    ))
      rows.push(`${table} ${row}`)
  const lines = rows.filter(row => /^(key|address)_call /.test(row))
  assert.equal(lines.length, asked, 'every call has a line')
  for (const table of tables)
    assert.ok(
      rows.some(row => row.startsWith(table)),
      table,
    )

  const written = rows.join('\n')
  const keys = [key, revoked, unknown, mistyped].flatMap(text => [text, text.slice(4), text.slice(4, 16)])
  const others = [code, bound, searched, 'chat-account', 'stranger', 'api/', 'search', '?', '%']
  for (const secret of [...keys, ...others, ...others.map(text => text.toLowerCase())])
    assert.ok(!written.includes(secret), `${secret} is in the journal`)
})
