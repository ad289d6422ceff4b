import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NewAccountEndpoint } from '@chancery/contract'
import type { Locator } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { endpointDraft, signIn } from '../account/browser.ts'
import { put } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { type Received, respondStatus } from '../support/webhook-receiver.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, goTo } from './visitor.ts'

describe('a webhook in a browser', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, receiver, visitor } = fixture

  const verify = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, headers as Record<string, string>)

  test('a form says beside each field what is wrong with it, and keeps what was entered', async () => {
    const { page } = await visitor({ as: 'n1', path: '/webhooks/new' })
    const url = page.getByLabel('URL')
    const problemOf = async (field: Locator) => {
      const problem = page.locator(`[id="${await field.getAttribute('id')}-error"]`)
      return (await problem.count()) > 0 ? problem.innerText() : null
    }
    await page.getByLabel('All events').uncheck()
    await button(page, 'Add endpoint').click()
    await page.getByText('Enter the URL of your receiver.').waitFor()
    assert.equal(await problemOf(url), 'Enter the URL of your receiver.')
    await page.getByText('Select at least one event.').waitFor()
    await page.getByLabel('All events').check()
    await url.fill('ftp://example.com/')
    assert.equal(await problemOf(url), null, 'the message disappears while the field is edited')
    await button(page, 'Add endpoint').click()
    await page.getByText('The address must begin with https:// or http://.').waitFor()
    assert.equal(await problemOf(url), 'The address must begin with https:// or http://.')
    assert.equal(await url.inputValue(), 'ftp://example.com/')
    assert.equal(await page.getByText('Something went wrong').count(), 0)
  })

  test('a pending delivery states its next attempt, and is sent at once on request', async () => {
    const path = '/unavailable'
    const player = await signIn(chancery, { nation_id: 'n5' })
    const draft = endpointDraft(receiver.url(path), { nation_ids: ['n5'] })
    const { id } = await player.requestOk<NewAccountEndpoint>('POST', '/webhooks', draft)
    await player.requestOk('POST', `/webhooks/${id}/test`, {})
    receiver.respondWith(path, respondStatus(503))
    await chancery.ingest([put('nation', { id: 'n5', nation_name: 'Renamed' })])
    const { page } = await visitor({ as: 'n5', path: `/webhooks/${id}` })
    const log = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const row = log.filter({ has: page.locator('summary', { hasText: 'nation.renamed' }) })
    await row.locator('summary').first().click()
    await row.getByText('Attempt 2', { exact: true }).waitFor()
    await row.getByText(/^Next attempt: (today|tomorrow)/).waitFor()
    receiver.respondWith(path, respondStatus(204))
    const before = receiver.eventsAt(path).length
    await row.getByRole('button', { name: /^Resend nation\.renamed of / }).click()
    await row.getByText('Delivered', { exact: true }).waitFor()
    assert.equal(receiver.eventsAt(path).length, before + 1)
  })

  test('a webhook is added, tested, delivered to, replayed, rotated, disabled, enabled and removed', async () => {
    const player = await visitor({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = player
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    const rename = (nation_name: string) => chancery.ingest([put('nation', { id: 'n3', nation_name })])
    const copied = async () => {
      await button(page, 'Copy secret').click()
      await button(page, 'Copied').waitFor()
      return clipboard()
    }
    await player.signIn({ nation_id: 'n3', landing: 'webhooks' })

    await page.getByText('You have no endpoints.').waitFor()
    await page.getByRole('link', { name: 'Add endpoint' }).click()
    await page.getByLabel('URL').fill(receiver.url('/bot'))
    await page.getByLabel('Description (optional)').fill('the bot of Ostmark')
    await page.getByLabel('All events').uncheck()
    await page.getByLabel('nation.renamed', { exact: true }).check()
    await page.getByText('Sample of nation.renamed').click()
    await page.getByText('"type": "nation.renamed"').first().waitFor()
    await button(page, 'Add my nation').click()
    await page.getByLabel('Nations (optional)').fill('kar')
    await page.getByRole('list', { name: 'Search results' }).getByRole('button').first().click()
    const selected = page.getByRole('list', { name: 'Selected nations' }).getByRole('listitem')
    await selected
      .nth(1)
      .getByRole('button', { name: /^Remove / })
      .click()
    assert.deepEqual(await selected.allInnerTexts(), ['Ostmark'])
    await button(page, 'Add endpoint').click()
    const secret = await copied()
    assert.match(secret, /^whsec_/)
    assert.equal(receiver.testsAt('/bot').length, 0, 'nothing is sent before the secret is shown')

    receiver.respondWith('/bot', respondStatus(503, 'not yet'))
    await button(page, 'Send test and activate').click()
    await page.getByRole('alert').getByText('Test failed').waitFor()
    await page.getByText('Status 503: the receiver failed.').waitFor()
    receiver.respondWith('/bot', respondStatus(204))
    await button(page, 'Send test and activate').click()
    await page.getByRole('alert').getByText('Test delivered').waitFor()
    await page.getByText(/The test event was delivered with status 204 after \d+ ms\./).waitFor()
    assert.equal(receiver.testsAt('/bot').length, 2)
    verify(secret, receiver.testsAt('/bot')[1] as Received)
    await page.getByRole('link', { name: 'Done' }).click()
    await page.getByText('nation.renamed; about nation Ostmark').waitFor()
    await button(page, 'Send test').click()
    await page.getByRole('status').getByText('The test event was delivered').waitFor()
    assert.equal(receiver.testsAt('/bot').length, 3)

    await rename('Ostmark Renewed')
    await until(() => receiver.eventsAt('/bot').length === 1, 'the event is delivered')
    const [first] = receiver.eventsAt('/bot')
    assert.ok(first)
    verify(secret, first)
    const log = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const renamed = log.filter({ has: page.locator('summary', { hasText: 'nation.renamed' }) })
    await renamed.getByText('Delivered', { exact: true }).waitFor()
    await renamed.locator('summary').click()
    await renamed.getByText('Status 204: delivered.').waitFor()
    await renamed.getByRole('link', { name: first.id }).waitFor()
    await renamed.getByText('Request headers').click()
    await renamed.getByText(`webhook-signature: ${first.headers['webhook-signature']}`).waitFor()
    await renamed.getByText('Request body').click()
    await renamed.getByText('"nation_name": "Ostmark Renewed"').waitFor()
    assert.ok(
      !(await page.content()).includes(secret.slice('whsec_'.length)),
      'the secret is not shown again',
    )

    await button(page, 'Resend all failed').click()
    await page.getByText('0 deliveries queued.').first().waitFor()
    await renamed.getByRole('button', { name: /^Resend nation\.renamed of / }).click()
    await until(() => receiver.eventsAt('/bot').length === 2, 'the event is delivered again')
    assert.equal(receiver.eventsAt('/bot')[1]?.id, first.id, 'with the same id')
    await button(page, 'Replay time range').click()
    const replay = dialog(page, 'Replay time range')
    await replay.getByLabel('End').fill('2099-01-01T00:00')
    await button(replay, 'Replay').click()
    await replay.getByText('1 delivery queued.').waitFor()
    await page.keyboard.press('Escape')
    await replay.waitFor({ state: 'detached' })
    await until(() => receiver.eventsAt('/bot').length === 3, 'the event is delivered a third time')

    await button(page, 'Regenerate secret').click()
    await button(dialog(page, 'Regenerate secret?'), 'Regenerate').click()
    await dialog(page, 'New secret').waitFor()
    const successor = await copied()
    assert.notEqual(successor, secret)
    await button(page, 'Done').click()
    await page.getByText('Messages are also signed with the previous secret until').waitFor()
    await rename('Ostmark Turned')
    await until(() => receiver.eventsAt('/bot').length === 4, 'the event is delivered')
    const signedTwice = receiver.eventsAt('/bot')[3]
    assert.ok(signedTwice)
    for (const good of [secret, successor]) verify(good, signedTwice)

    await button(page, 'Disable').click()
    await page.getByText('No events are sent until you enable it.').waitFor()
    await rename('Ostmark Unsent')
    await button(page, 'Enable').click()
    await page.getByText('Events are sent as they happen.').waitFor()
    await rename('Ostmark')
    await until(() => receiver.eventsAt('/bot').length === 5, 'the event is delivered')
    assert.match(receiver.eventsAt('/bot')[4]?.body ?? '', /"Ostmark"/)

    await button(page, 'Remove').click()
    await button(dialog(page, 'Remove this endpoint?'), 'Remove endpoint').click()
    await page.getByText('You have no endpoints.').waitFor()

    await goTo(player.page, 'Account log')
    const lines = await page.getByRole('table', { name: 'Account log' }).getByRole('row').allInnerTexts()
    const words = [
      'Removed a webhook endpoint',
      'Enabled a webhook endpoint',
      'Disabled a webhook endpoint',
      'Regenerated a webhook secret',
      'Replayed deliveries',
      'Replayed deliveries',
      'Replayed deliveries',
      'Enabled a webhook endpoint',
      'Added a webhook endpoint',
      'Signed in',
    ]
    assert.deepEqual(
      lines.slice(1).map(line => words.find(known => line.includes(known))),
      words,
    )
  })
})
