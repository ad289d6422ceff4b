import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { findRequest } from '../request-log/test-requests.ts'
import { allowedMs, until } from '../support/until.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, displayedCode, goTo, keyButton, promisedMs } from './visitor.ts'

describe('the life of codes and keys in a browser', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, visitor } = fixture

  /** The API's response status to a key. */
  const statusWith = async (key: string) => (await chancery.get('/me/nation', { key })).status

  /** Asserts that an effect promised within a second is in time, and logs how long it took. */
  async function inTime(t: TestContext, what: string, wait: () => Promise<unknown>) {
    const since = performance.now()
    await wait()
    const ms = Math.round(performance.now() - since)
    t.diagnostic(`${what}: ${ms} ms`)
    await chancery.get('/game')
    const requestMs = performance.now() - since - ms
    assert.ok(ms < allowedMs(promisedMs, requestMs), `${what}: ${ms} ms, where a request takes ${requestMs}`)
  }

  test('a redemption is shown within a second, with or without an API key', async t => {
    const player = await visitor()
    const { page } = player
    await player.signIn({ nation_id: 'n2' })
    const codeOf = async () => {
      await button(page, 'Create code').click()
      const code = await displayedCode(page)
      await page
        .getByRole('timer', { name: 'Time left' })
        .getByText(/^(10:00|9:\d\d)$/)
        .waitFor()
      await page.getByRole('table', { name: 'Active codes' }).getByText('shown above').waitFor()
      return code
    }
    const { key } = await chancery.makeKey({ nation_id: 'n5' })
    for (const [options, words] of [
      [{}, 'The code was redeemed without an API key.'],
      [{ key }, 'The code was redeemed with an API key.'],
    ] as const) {
      const response = await chancery.get(`/discord/verify/${await codeOf()}`, options)
      assert.equal(response.status, 200)
      await inTime(t, words, () => page.getByText(words).waitFor())
      await button(page, 'Create another code').click()
    }
    const redeemed = page.getByRole('table', { name: 'Codes redeemed in the last 30 days' }).getByRole('row')
    assert.equal(await redeemed.count(), 3)
    await redeemed.getByText('Bot with an API key').waitFor()
    await redeemed.getByText('Client without an API key').waitFor()
    await page.getByText('No active codes.').waitFor()

    const cancelled = await codeOf()
    await button(page, 'Cancel code').click()
    await button(page, 'Create code').waitFor()
    assert.equal((await chancery.get(`/discord/verify/${cancelled}`)).status, 404)
  })

  test('a key is created, copied, used, listed in usage, regenerated with an overlap, and revoked within a second', async t => {
    const player = await visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = player
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await player.signIn({ nation_id: 'n1', landing: 'keys' })

    await button(page, 'Create key').click()
    const create = dialog(page, 'Create key')
    await create.getByLabel('Name').fill('War bot')
    const [warning, expires] = [
      create.getByText('This key can read your private data'),
      create.getByLabel('Expiration'),
    ]
    assert.deepEqual([await warning.count(), await expires.inputValue()], [0, 'never'])
    await create.getByLabel('military.read').check()
    await warning.waitFor()
    await create.getByText('Never paste a key into a chat').waitFor()
    assert.equal(await expires.inputValue(), '90')
    await button(create, 'Create').click()

    const made = dialog(page, 'Key created')
    await button(made, 'Copy key').click()
    await button(made, 'Copied').waitFor()
    const first = await clipboard()
    assert.match(first, /^chk_[A-Za-z0-9]{38}$/)
    await button(made, 'Copy command').click()
    await until(async () => (await clipboard()).startsWith('curl '), 'the command is on the clipboard')
    assert.equal(await clipboard(), `curl -H 'Authorization: Bearer ${first}' ${chancery.url}/api/v1/me/key`)
    await page.keyboard.press('Escape')
    await button(made, 'Done').click()
    await made.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(first), 'the key is shown only once')

    const response = await chancery.get('/me/nation', { key: first })
    const requestId = response.headers.get('x-request-id') ?? ''
    assert.deepEqual([response.status, requestId.length > 7], [200, true])
    const missing = await chancery.get('/nations/none', { key: first })
    assert.equal(missing.status, 404)
    for (const { headers } of [response, missing])
      await until(
        async () => (await findRequest(chancery, headers.get('x-request-id') ?? '')).length > 0,
        'the request is in the log',
      )
    await goTo(player.page, 'Usage')
    const calls = page.getByRole('table', { name: 'Recent requests' })
    const call = calls.getByRole('row').filter({ hasText: requestId })
    await call.getByText('me.nation', { exact: true }).waitFor()
    await call.getByText('200', { exact: true }).waitFor()
    await page.getByText(/^2 requests\b/).waitFor()
    const statuses = page.getByRole('list', { name: 'Requests by status' })
    await statuses.getByRole('listitem').filter({ hasText: /^404/ }).getByText('1 · 50%').waitFor()
    await page.getByLabel('Request ID').fill(requestId)
    await button(page, 'Find').click()
    await page.getByRole('table', { name: 'Request found' }).getByText('War bot').waitFor()
    await page.getByLabel('Request ID').fill('none_of_mine')
    await button(page, 'Find').click()
    await page.getByText('None of your requests of the last seven days has this ID.').waitFor()

    await goTo(player.page, 'Keys')
    await keyButton(page, 'Regenerate').click()
    const regenerate = dialog(page, /^Regenerate “War bot” \(chk_/)
    assert.equal(await regenerate.getByLabel('Old key expires').inputValue(), '24')
    await button(regenerate, 'Regenerate key').click()
    await button(dialog(page, 'Key created'), 'Copy key').click()
    const secondOf = async () => (await clipboard()).match(/^chk_\w+$/)?.[0]
    await until(async () => (await secondOf()) !== undefined, 'the new key is on the clipboard')
    const second = (await secondOf()) ?? ''
    assert.notEqual(second, first)
    await button(page, 'Done').click()
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200], 'both work')

    const working = page.getByRole('list', { name: 'Active keys' }).getByRole('listitem')
    await until(async () => (await working.count()) === 2, 'both keys are listed')
    const readers = page.getByRole('table', { name: 'Keys with access to private data' })
    assert.equal(await readers.getByText('War bot').count(), 2)
    const isKey = (key: string) => ({ has: page.getByText(`${key.slice(0, 8)}…`, { exact: true }).first() })
    const replaced = working.filter({ hasText: 'Replaced by' })
    await replaced.getByText(/^Replaced by chk_\w{4}…, ends (today|tomorrow) \d\d:\d\d$/).waitFor()
    assert.deepEqual([await replaced.filter(isKey(first)).count(), await replaced.count()], [1, 1])
    await keyButton(working.filter({ hasNotText: 'Replaced by' }), 'Revoke').click()
    const revoke = dialog(page, `Revoke “War bot” (${second.slice(0, 8)}…)?`)
    await button(revoke, 'Revoke key').click()
    await inTime(t, 'a revoked key is rejected', () =>
      until(async () => (await statusWith(second)) === 401, 'the key is rejected'),
    )
    assert.equal(await statusWith(first), 200, 'the other key keeps working')
    await page.getByText('Revoked and expired keys (1)').click()
    const over = page.getByRole('list', { name: 'Revoked and expired keys' })
    await over.getByText('Revoked', { exact: true }).first().waitFor()

    await button(page, 'Revoke all').click()
    await button(dialog(page, 'Revoke all keys with access to private data?'), 'Revoke all keys').click()
    await inTime(t, 'all keys with access to private data are rejected', () =>
      until(async () => (await statusWith(first)) === 401, 'the key is rejected'),
    )
    await page.getByText('None of your keys can read private data.').waitFor()
  })

  test('what cannot be the number of a chat account is rejected beside its field', async () => {
    const { page } = await visitor({ as: 'n5', path: '/' })
    const account = page.getByLabel('Chat account (optional)')
    const problem = page.getByText('An account number has only digits.')
    await account.fill('karsk#1234')
    assert.equal(await problem.count(), 0, 'not while it is being typed')
    await button(page, 'Create code').click()
    await problem.waitFor()
    assert.equal(await account.getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByRole('region', { name: 'Verification code' }).count(), 0)
    await account.fill('80351 1102 2467 8912')
    await button(page, 'Create code').click()
    await page.getByText('Only the chat account 80351110224678912 can redeem it.').waitFor()
  })

  test('a player requests a higher limit and reads the reply of the operator', async () => {
    const player = await visitor()
    const { page } = player
    const { id } = await chancery.makeKey({ nation_id: 'n6' })
    await player.signIn({ nation_id: 'n6', landing: 'keys' })
    await keyButton(page, 'Request higher limit').click()
    const request = dialog(page, 'Request a higher limit for “test”')
    await request.getByLabel('Requests per minute').fill('5000')
    await request.getByLabel('Reason').fill('It follows every war.')
    await button(request, 'Send request').click()
    await page.getByText('Waiting for a reply from the operator.').waitFor()
    const response = await chancery.operate('PUT', `/keys/${id}/limit`, { limit: 5000, note: 'Gladly.' })
    assert.equal(response.status, 200, await response.text())
    await player.open('/keys')
    await page.getByText('“Gladly.”').waitFor()
    await page.getByText('5,000 per minute').waitFor()
  })
})
