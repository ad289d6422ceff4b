import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { lookUp } from '../journal/looked-up.ts'
import { allowedMs } from '../support/allowed-ms.ts'
import { until } from '../support/until.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, goTo, promisedMs, shownCode } from './visitor.ts'

describe('codes and keys in a browser, from making to the end', { skip }, () => {
  const fixture = setUpBrowser()

  /** The status that the API answers to a key. */
  const statusWith = async (key: string) => (await fixture().chancery.get('/me/nation', { key })).status

  /** Asserts that something promised within a second came in time, and says how soon. */
  async function inTime(t: TestContext, what: string, wait: () => Promise<unknown>) {
    const since = performance.now()
    await wait()
    const ms = Math.round(performance.now() - since)
    t.diagnostic(`${what}: ${ms} ms`)
    await fixture().chancery.get('/game')
    const callMs = performance.now() - since - ms
    assert.ok(ms < allowedMs(promisedMs, callMs), `${what}: ${ms} ms, where a call takes ${callMs}`)
  }

  test('a code is redeemed by a bot, and the page says so within a second, and with what', async t => {
    const { chancery, visitor } = fixture()
    const player = await visitor()
    const { page } = player
    await player.signIn({ nation_id: 'n2' })
    const codeOf = async () => {
      await button(page, 'Make a code').click()
      const code = await shownCode(page)
      await page
        .getByRole('timer', { name: 'Time left' })
        .getByText(/^(10:00|9:\d\d)$/)
        .waitFor()
      await page.getByRole('table', { name: 'Codes that are waiting' }).getByText('shown above').waitFor()
      return code
    }
    const { key } = await chancery.makeKey({ nation_id: 'n5' })
    for (const [options, words] of [
      [{}, 'Whoever redeemed it used no API key.'],
      [{ key }, 'Whoever redeemed it used an API key.'],
    ] as const) {
      const answer = await chancery.get(`/discord/verify/${await codeOf()}`, options)
      assert.equal(answer.status, 200)
      await inTime(t, words, () => page.getByText(words).waitFor())
      await button(page, 'Make another code').click()
    }
    const redeemed = page.getByRole('table', { name: 'Codes redeemed in the last 30 days' }).getByRole('row')
    assert.equal(await redeemed.count(), 3)
    await redeemed.getByText('A bot with an API key').waitFor()
    await redeemed.getByText('Somebody without an API key').waitFor()
    await page.getByText('No code is waiting to be redeemed.').waitFor()

    const cancelled = await codeOf()
    await button(page, 'Cancel this code').click()
    await button(page, 'Make a code').waitFor()
    assert.equal((await chancery.get(`/discord/verify/${cancelled}`)).status, 404)
    assert.deepEqual(player.complaints, [])
  })

  test('a key is made, copied, used, seen in usage, replaced with an overlap, and revoked within a second', async t => {
    const { chancery, visitor } = fixture()
    const player = await visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = player
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await player.signIn({ nation_id: 'n1', landing: 'keys' })

    await button(page, 'Create key').click()
    const create = dialog(page, 'Create key')
    await create.getByLabel('Name').fill('War bot')
    const [warning, expires] = [create.getByText('This key reads your secrets'), create.getByLabel('Expires')]
    assert.deepEqual([await warning.count(), await expires.inputValue()], [0, 'never'])
    await create.getByLabel('military.read').check()
    await warning.waitFor()
    await create.getByText('Never paste a key into a chat').waitFor()
    assert.equal(await expires.inputValue(), '90')
    await button(create, 'Create').click()

    const made = dialog(page, 'Your new key')
    await button(made, 'Copy key').click()
    await button(made, 'Copied').waitFor()
    const first = await clipboard()
    assert.match(first, /^chk_[A-Za-z0-9]{38}$/)
    await button(made, 'Copy command').click()
    await until(async () => (await clipboard()).startsWith('curl '), 'the command is on the clipboard')
    assert.equal(await clipboard(), `curl -H 'Authorization: Bearer ${first}' ${chancery.url}/api/v1/me/key`)
    await page.keyboard.press('Escape')
    await button(made, 'I have copied it').click()
    await made.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(first), 'it is shown this once')

    const answer = await chancery.get('/me/nation', { key: first })
    const requestId = answer.headers.get('x-request-id') ?? ''
    assert.deepEqual([answer.status, requestId.length > 7], [200, true])
    const missing = await chancery.get('/nations/none', { key: first })
    assert.equal(missing.status, 404)
    for (const { headers } of [answer, missing])
      await until(
        async () => (await lookUp(chancery, headers.get('x-request-id') ?? '')).length > 0,
        'the call is in the journal',
      )
    await goTo(player.page, 'Usage')
    const calls = page.getByRole('table', { name: 'Last calls' })
    const call = calls.getByRole('row').filter({ hasText: requestId })
    await call.getByText('me.nation', { exact: true }).waitFor()
    await call.getByText('200', { exact: true }).waitFor()
    await page.getByText(/^2 calls\b/).waitFor()
    const statuses = page.getByRole('list', { name: 'Calls by status' })
    await statuses.getByRole('listitem').filter({ hasText: /^404/ }).getByText('1 · 50%').waitFor()
    await page.getByLabel('Request id').fill(requestId)
    await button(page, 'Find').click()
    await page.getByRole('table', { name: 'Call found' }).getByText('War bot').waitFor()
    await page.getByLabel('Request id').fill('none_of_mine')
    await button(page, 'Find').click()
    await page.getByText('None of your calls of the last seven days has this id.').waitFor()

    await goTo(player.page, 'Keys')
    await button(page, 'Replace').click()
    const replace = dialog(page, 'Replace “War bot”')
    assert.equal(await replace.getByLabel('The old key works for another').inputValue(), '24')
    await button(replace, 'Replace key').click()
    await button(dialog(page, 'Your new key'), 'Copy key').click()
    const secondOf = async () => (await clipboard()).match(/^chk_\w+$/)?.[0]
    await until(async () => (await secondOf()) !== undefined, 'the new key is on the clipboard')
    const second = (await secondOf()) ?? ''
    assert.notEqual(second, first)
    await button(page, 'I have copied it').click()
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200], 'both work')

    const working = page.getByRole('list', { name: 'Keys that work' }).getByRole('listitem')
    await until(async () => (await working.count()) === 2, 'both keys are listed')
    const readers = page.getByRole('table', { name: 'Keys that read secrets' })
    assert.equal(await readers.getByText('War bot').count(), 2)
    await button(working.filter({ hasText: second.slice(0, 8) }), 'Revoke').click()
    await button(dialog(page, 'Revoke “War bot”?'), 'Revoke key').click()
    await inTime(t, 'a revoked key is refused', () =>
      until(async () => (await statusWith(second)) === 401, 'the key is refused'),
    )
    assert.equal(await statusWith(first), 200, 'the other goes on')
    await page.getByText('Revoked and expired keys (1)').click()
    const over = page.getByRole('list', { name: 'Revoked and expired keys' })
    await over.getByText('Revoked', { exact: true }).first().waitFor()

    await button(page, 'Revoke all of these').click()
    await button(dialog(page, 'Revoke all keys that read secrets?'), 'Revoke them all').click()
    await inTime(t, 'all keys that read secrets are refused', () =>
      until(async () => (await statusWith(first)) === 401, 'the key is refused'),
    )
    await page.getByText('No key can: none of yours has a scope that opens secrets.').waitFor()
    assert.deepEqual(player.complaints, [])
  })

  test('a player asks for a higher limit, and reads what the operator answers', async () => {
    const { chancery, visitor } = fixture()
    const player = await visitor()
    const { page } = player
    const { id } = await chancery.makeKey({ nation_id: 'n6' })
    await player.signIn({ nation_id: 'n6', landing: 'keys' })
    await button(page, 'Ask for a higher limit').click()
    const ask = dialog(page, 'A higher limit for “test”')
    await ask.getByLabel('Calls a minute').fill('5000')
    await ask.getByLabel('What for').fill('It follows every war.')
    await button(ask, 'Ask').click()
    await page.getByText('The operator has not answered yet.').waitFor()
    const answer = await chancery.operate('PUT', `/keys/${id}/limit`, { limit: 5000, note: 'Gladly.' })
    assert.equal(answer.status, 200, await answer.text())
    await player.open('/keys')
    await page.getByText('“Gladly.”').waitFor()
    await page.getByText('5,000 a minute').waitFor()
    assert.deepEqual(player.complaints, [])
  })
})
