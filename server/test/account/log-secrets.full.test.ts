import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountBase } from '../../src/account/account-api.ts'
import { smallWorld } from '../http/world.ts'
import { closeAfter } from '../support/close-after.ts'
import { query } from '../support/database-url.ts'
import { startServerProcess } from '../support/server-process.ts'
import { assertRejected, handover, openBrowser, signIn, startAccounts } from './browser.ts'

const chancery = closeAfter(await startAccounts(smallWorld(), { CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }))

const key = { name: 'a-name-of-mine', scopes: ['nation.read'], expires_at: null }

test('no failure logs a secret, and the page gets a request id', async t => {
  const server = await startServerProcess(
    { CHANCERY_ADMIN_TOKEN: chancery.operatorToken, CHANCERY_LOG_LEVEL: 'trace' },
    { databaseUrl: chancery.databaseUrl, dataDir: chancery.dataDir },
  )
  t.after(server.close)
  const browser = openBrowser({ url: server.url })
  const player = await signIn(chancery, { nation_id: 'n1' }, browser)
  const made = await player.requestOk<{ key: string }>('POST', '/keys', key)
  const { code } = await player.requestOk<{ code: string }>('POST', '/codes', {})
  const link = await handover(chancery, { nation_id: 'n1' })
  const failed: string[] = []
  await query(chancery.databaseUrl, 'alter table chancery_access.account_log rename to gone')
  for (const [path, body] of [
    ['/keys', key],
    ['/codes', { for: 'a-chat-account' }],
    ['/session', { token: link }],
  ] as const) {
    const response = await player.request('POST', path, { body })
    assert.doesNotMatch(assertRejected(response, 500, 'internal_error', path), /account_log|relation|sql/i)
    failed.push(response.body.error.request_id)
  }
  await query(chancery.databaseUrl, 'alter table chancery_access.gone rename to account_log')
  await player.request('POST', '/session', { body: `{"token":"${link}` })
  await server.close()
  const written = server.written()
  for (const text of [...failed, `${accountBase}/keys`]) assert.ok(written.includes(text), text)
  const secrets = [
    made.key,
    code,
    link,
    player.token,
    player.cookie?.split('=')[1],
    player.session.csrf_token,
  ]
  for (const secret of [...secrets, 'a-name-of-mine', 'a-chat-account'])
    assert.ok(secret && !written.includes(secret), secret)
})
