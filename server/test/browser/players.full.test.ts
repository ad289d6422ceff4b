import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits, type NewAccountEndpoint, type NewAccountKeyResponse } from '@chancery/contract'
import { endpointDraft, handover, keyDraft, signIn } from '../account/browser.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, displayedCode, goTo, type Visitor } from './visitor.ts'

describe('changes of player, ended sessions and server outages', { skip }, async () => {
  // A demo accepts any host name and port of this machine, and so those of a proxy.
  const fixture = await setUpBrowser({ defaults: { demoSignIn: true } })
  const { chancery, receiver, visitor } = fixture
  const other = await signIn(chancery, { nation_id: 'n2' })
  const key = await other.requestOk<NewAccountKeyResponse>('POST', '/keys', keyDraft({ name: 'Of Karsk' }))
  const ofKarsk = endpointDraft(receiver.url('/of-karsk'), { description: 'Of Karsk' })
  const endpoint = await other.requestOk<NewAccountEndpoint>('POST', '/webhooks', ofKarsk)
  await other.requestOk('POST', '/codes', {})

  /** Asserts that a page shows a text to its owner only. */
  async function showsOf(player: Visitor, path: string, own: string, isOwn: boolean) {
    await player.open(path)
    const text = await player.page.getByRole('main').textContent()
    assert.equal(text?.includes(own), isOwn, `${path}: ${text}`)
  }

  test('a player does not see the data of another player at any URL', async () => {
    for (const [nation_id, isOwn] of [
      ['n2', true],
      ['n1', false],
    ] as const) {
      const player = await visitor()
      await player.signInByApi({ nation_id })
      await showsOf(player, '/', 'Any chat account', isOwn)
      await showsOf(player, '/keys', 'Of Karsk', isOwn)
      await showsOf(player, `/usage/${key.id}`, 'Recent requests', isOwn)
      await showsOf(player, '/webhooks', 'Of Karsk', isOwn)
      await showsOf(player, `/webhooks/${endpoint.id}`, 'Deliveries', isOwn)
      await showsOf(player, '/log', 'Created a key', isOwn)
      assert.deepEqual(player.rejections, [])
    }
  })

  test('signing in as another player in the same browser shows no data of the previous one', async () => {
    const player = await visitor()
    const { page } = player
    await player.signIn({ nation_id: 'n2' })
    await goTo(page, 'Keys')
    await page.getByRole('heading', { name: 'Of Karsk' }).waitFor()
    // The page stays open and no list loads any more, so that only cached data could be shown.
    await page.route('**/developers/api/keys', () => {})
    const token = await handover(chancery, { nation_id: 'n3' })
    await page.evaluate(`location.hash = 'handover=${token}'`)
    await button(page, 'Continue').click()
    await page.getByRole('banner').getByText('Ostmark', { exact: true }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('main').getByText('Loading…').waitFor()
    assert.equal(await page.getByText('Of Karsk').count(), 0)
  })

  const actions: [string, (player: Visitor) => Promise<unknown>][] = [
    ['a change', ({ page }) => button(page, 'Create code').click()],
    ['another page', ({ page }) => page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()],
  ]
  for (const [what, act] of actions) {
    test(`after a session ended elsewhere, ${what} leads to the signed-out page`, async () => {
      const player = await visitor({ as: 'n4', path: '/' })
      await (await signIn(chancery, { nation_id: 'n4' })).requestOk('POST', '/session/end-all', {})
      await act(player)
      await player.page.getByRole('alert').getByText('Your session has ended').waitFor()
      assert.equal(await button(player.page, 'Sign out').count(), 0)
      assert.equal(await player.page.getByRole('navigation').count(), 0)
      assert.ok(!(await player.page.content()).includes('Belport · '), 'nothing is left of the nation')
    })
  }

  test('an open dialog closes when the session ends', async () => {
    const player = await visitor({ as: 'n4', path: '/keys' })
    const { page } = player
    await button(page, 'Create key').click()
    await dialog(page, 'Create key').getByLabel('Name').fill('too late')
    await (await signIn(chancery, { nation_id: 'n4' })).requestOk('POST', '/session/end-all', {})
    await button(dialog(page, 'Create key'), 'Create').click()
    await page.getByText('Your session has ended').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(
      await page.evaluate(`getComputedStyle(document.body).overflow`),
      'visible',
      'the page scrolls',
    )
  })

  test('an unreachable server is reported, and the page recovers when it is back', async t => {
    const proxy = await startTcpProxy(t, chancery.url)
    const player = await visitor({ baseURL: proxy.url, mayHaveProblems: true })
    const { page } = player
    await player.signInByApi({ nation_id: 'n3' })
    await player.open('/keys')
    await goTo(page, 'Verify')

    proxy.cut()
    await button(page, 'Create code').click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    proxy.restore()
    await button(page, 'Create code').click()
    await page.getByRole('region', { name: 'Verification code' }).waitFor()
    assert.equal(await page.getByRole('alert').getByText('The server cannot be reached.').count(), 0)

    // Polling continues after an outage, so that the redemption is reported.
    const code = await displayedCode(page)
    const failed = page.waitForEvent('requestfailed')
    proxy.cut()
    await failed
    assert.equal((await chancery.get(`/discord/verify/${code}`)).status, 200)
    proxy.restore()
    await page.getByText('The code was redeemed without an API key.').waitFor()

    // A page whose script is not loaded yet, and one whose data is not.
    proxy.cut()
    await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('alert').getByText('This page could not be loaded').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    proxy.restore()
    await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('alert').getByText('This page could not be loaded').waitFor()
    await button(page, 'Reload').click()
    await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor()
  })

  test('a list that failed to load can be retried', async t => {
    const proxy = await startTcpProxy(t, chancery.url)
    const { page, open } = await visitor({ as: 'n3', baseURL: proxy.url, mayHaveProblems: true })
    await page.route(
      '**/developers/api/keys',
      route => {
        proxy.cut()
        return route.continue()
      },
      { times: 1 },
    )
    await page.goto('/developers/keys')
    await page.getByRole('alert').getByText('Could not load the data').waitFor()
    proxy.restore()
    await button(page, 'Try again').click()
    await page.getByText(`0 of ${limits.keysPerPlayer} keys`).waitFor()
    await open('/keys')
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('a page that is opened while the server starts offers to try again', async () => {
    const { page } = await visitor({ as: 'n3' })
    await page.route('**/developers/api/**', route => route.fulfill({ status: 503, body: 'starting' }))
    await page.goto('/developers/keys')
    const alert = page.getByRole('alert').filter({ hasText: 'Could not load the developer settings' })
    await alert.getByText('The server responded with status 503.').waitFor()
    await page.unroute('**/developers/api/**')
    await button(page, 'Try again').click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  })
})
