import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits, webhooks } from '@chancery/contract'
import type { Page } from 'playwright-core'
import { handover, keyDraft, signIn } from '../account/browser.ts'
import { put } from '../ingest/facts.ts'
import { phone, setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { seedPlayer } from './seed-player.ts'
import { views } from './views.ts'
import { button, loaded, type Visitor } from './visitor.ts'

/** Text that would have an effect if it were not treated as text. Each has the maximum length. */
const script = '<img src=x onerror="window.hasRun=1"></script><script>window.hasRun=1</script>'
const long = (text: string, length: number) => text.padEnd(length, 'W').slice(0, length)
const bidi = '\u202eegaptsoh\u202c\u2066\u202e'

const hostile = {
  nation: long(script, 100),
  leader: long(`{{constructor}}\${hasRun=1}`, 100),
  alliance: long(`"><svg onload=window.hasRun=1>`, 100),
  tag: long('</b>&lt;<i>', 10),
  keyName: long(`${bidi}${script}`, 100),
  description: long(`javascript:window.hasRun=1 ${bidi}${script}`, webhooks.descriptionLengthMax),
  responseBody: long(`${script}\n${bidi}`, 10_000),
}

describe('the developer settings show text of players and third parties as text', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, receiver, visitor } = fixture
  await chancery.ingest([
    put('nation', { id: 'n1', nation_name: hostile.nation, leader_name: hostile.leader }),
    put('alliance', { id: 'a1', name: hostile.alliance, tag: hostile.tag }),
  ])
  await seedPlayer(fixture, 'n1', hostile)
  const player = await visitor({ as: 'n1', ...phone })

  /** Asserts that no hostile text ran, became an element, or made the page wider than a phone. */
  async function isHarmless({ page }: Visitor) {
    assert.equal(await page.evaluate('window.hasRun'), undefined)
    assert.equal(await page.locator('img[src="x"], svg[onload], body script:not([src])').count(), 0)
    assert.ok(
      (await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360,
      'the page is too wide',
    )
  }

  const shows = (page: Page, text: string) =>
    page.locator('main, [role="dialog"]').getByText(text).first().waitFor({ state: 'attached' })

  const shownOn: Record<string, string[]> = {
    verify: [hostile.nation, hostile.leader, hostile.alliance, hostile.keyName],
    keys: [hostile.keyName, hostile.description],
    'create key': [hostile.keyName],
    'revoke a key': [hostile.keyName],
    usage: [hostile.keyName],
    webhooks: [hostile.description],
    'a webhook': [hostile.description, hostile.responseBody.slice(0, 40)],
    'account log': [hostile.keyName],
  }

  test('the handover page isolates the text direction of names', async () => {
    const visit = await visitor(phone)
    await visit.page.goto(`/developers/#handover=${await handover(chancery, { nation_id: 'n1' })}`)
    await loaded(visit.page)
    const isolated = await visit.page.getByRole('main').locator('bdi').allTextContents()
    assert.deepEqual(isolated, [hostile.nation, hostile.leader, hostile.alliance, hostile.tag])
    const directions = await visit.page.evaluate<string[]>(
      "[...document.querySelectorAll('main bdi')].map(name => getComputedStyle(name).unicodeBidi)",
    )
    assert.deepEqual(new Set(directions), new Set(['isolate']))
    await isHarmless(visit)
  })

  for (const { name, path, prepare } of views) {
    test(`${name} stays intact on a phone`, async () => {
      const { page } = player
      await player.open(path)
      await prepare?.(page)
      await loaded(page)
      for (const text of shownOn[name] ?? []) await shows(page, text.replaceAll(/\s+/g, ' '))
      await isHarmless(player)
    })
  }

  test('the handover page and the menu stay intact on a phone', async () => {
    const outsider = await visitor(phone)
    await outsider.open('/')
    await isHarmless(outsider)
    await outsider.signIn({ nation_id: 'n2' })
    await button(outsider.page, 'Menu').click()
    await outsider.page.getByRole('region', { name: 'Your nation' }).getByText(hostile.alliance).waitFor()
    await isHarmless(outsider)
  })

  test('explore shows a name that looks like a time as text', async () => {
    const name = '2026-99-99T00:00:00Z'
    await chancery.ingest([
      put('nation', { id: 'n2', nation_name: name, leader_name: '2026-01-01T00:00:00Z' }),
    ])
    await player.open('/explore?kind=nation&id=n2')
    const table = player.page.getByRole('table', { name })
    await table.getByText('2026-01-01T00:00:00Z', { exact: true }).waitFor()
    assert.ok((await table.locator('time').count()) > 0, 'times of the contract are shown as times')
    await isHarmless(player)
  })

  test('the response of a receiver to a test, and a URL of the maximum length', async () => {
    const { page } = player
    const path = long('/maximum-length?', webhooks.urlLengthMax - receiver.url('').length)
    receiver.respondWith(path, res =>
      res.writeHead(500, { 'content-type': 'text/html' }).end(hostile.responseBody),
    )
    await player.open('/webhooks/new')
    await page.getByLabel('URL').fill(receiver.url(path))
    await button(page, 'Add endpoint').click()
    await button(page, 'Send test and activate').click()
    await page.getByText('Test failed').waitFor()
    await isHarmless(player)
    await page.getByRole('link', { name: 'Test later' }).click()
    await button(page, 'Edit').waitFor()
    await button(page, 'Send test and activate').click()
    const responseText = page.getByRole('status').getByText(hostile.responseBody.slice(0, 40))
    await responseText.waitFor()
    assert.ok(((await responseText.textContent()) ?? '').length <= webhooks.responseBytesKept)
    await isHarmless(player)
  })

  test('an error message with hostile text', async () => {
    const { page } = player
    await page.route('**/developers/api/keys', route =>
      route.fulfill({
        status: 400,
        json: {
          error: { code: 'invalid_request', message: hostile.responseBody, request_id: hostile.keyName },
        },
      }),
    )
    await player.open('/keys')
    await page.getByRole('alert').getByText(hostile.responseBody.slice(0, 40)).first().waitFor()
    await isHarmless(player)
    await page.unroute('**/developers/api/keys')
  })

  test('a player with the maximum number of keys and codes', async () => {
    const rich = await signIn(chancery, { nation_id: 'n5' })
    const { data } = await rich.requestOk<{ data: object[] }>('GET', '/keys')
    for (let index = data.length; index < limits.keysPerPlayer; index += 1)
      await rich.requestOk('POST', '/keys', keyDraft({ name: hostile.keyName, scopes: ['economy.read'] }))
    for (let index = 0; index < limits.codesActivePerNation; index += 1)
      await rich.requestOk('POST', '/codes', {})
    const { page, open } = await visitor({ as: 'n5', path: '/keys', ...phone })
    await button(page, 'Create key').click()
    await page.getByRole('dialog').getByLabel('Name').fill('one too many')
    await button(page.getByRole('dialog'), 'Create').click()
    await page.getByRole('alert').getByText(`limit of ${limits.keysPerPlayer} keys`).waitFor()
    await open('/')
    await button(page, 'Create code').click()
    await page.getByRole('alert').getByText(`${limits.codesActivePerNation} active codes`).waitFor()
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360)
  })
})
