import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { limits, type NewAccountEndpoint, type NewAccountKeyResponse } from '@chancery/contract'
import { handover, signIn } from '../account/browser.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, goTo, shownCode, type Visitor } from './visitor.ts'

describe('players, and the server, come and go', { skip }, () => {
  // A demo is there under every name and port of this machine: also under that of a proxy that is cut.
  const fixture = setUpBrowser({ demoSignIn: true })
  let key: NewAccountKeyResponse
  let endpoint: NewAccountEndpoint
  before(async () => {
    const { chancery, receiver } = fixture()
    const other = await signIn(chancery, { nation_id: 'n2' })
    key = await other.done('POST', '/keys', { name: 'Of Karsk', scopes: ['nation.read'], expires_at: null })
    endpoint = await other.done('POST', '/webhooks', {
      url: receiver.url('/of-karsk'),
      description: 'Of Karsk',
      types: null,
      nation_ids: null,
      alliance_ids: null,
    })
    await other.done('POST', '/codes', {})
  })

  /** Asserts that a page shows what one player has, or the other one's nothing. */
  async function showsOf(player: Visitor, path: string, own: string, isOwn: boolean) {
    await player.open(path)
    const text = await player.page.getByRole('main').textContent()
    assert.equal(text?.includes(own), isOwn, `${path}: ${text}`)
  }

  test('what one player made another does not see, whatever address they open', async () => {
    const { visitor } = fixture()
    for (const [nation_id, isOwn] of [
      ['n2', true],
      ['n1', false],
    ] as const) {
      const player = await visitor()
      await player.enter({ nation_id })
      await showsOf(player, '/', 'Any chat account', isOwn)
      await showsOf(player, '/keys', 'Of Karsk', isOwn)
      await showsOf(player, `/usage/${key.id}`, 'Last calls', isOwn)
      await showsOf(player, '/webhooks', 'Of Karsk', isOwn)
      await showsOf(player, `/webhooks/${endpoint.id}`, 'Deliveries', isOwn)
      await showsOf(player, '/log', 'Made a key', isOwn)
      assert.deepEqual([player.complaints, player.refusals], [[], []])
    }
  })

  test('whoever signs in as another player in the same browser finds nothing of the one before', async () => {
    const { chancery, visitor } = fixture()
    const player = await visitor()
    const { page } = player
    await player.signIn({ nation_id: 'n2' })
    await goTo(page, 'Keys')
    await page.getByRole('heading', { name: 'Of Karsk' }).waitFor()
    // The page stays open, and from here on no list comes: what is seen is what was kept.
    await page.route('**/developers/api/keys', () => {})
    const token = await handover(chancery, { nation_id: 'n3' })
    await page.evaluate(`location.hash = 'handover=${token}'`)
    await button(page, 'Go on').click()
    await page.getByRole('banner').getByText('Ostmark', { exact: true }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByRole('main').getByText('Loading…').waitFor()
    assert.equal(await page.getByText('Of Karsk').count(), 0)
    assert.deepEqual(player.complaints, [])
  })

  const actions: [string, (player: Visitor) => Promise<unknown>][] = [
    ['a change', ({ page }) => button(page, 'Make a code').click()],
    ['another page', ({ page }) => page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()],
  ]
  for (const [what, act] of actions) {
    test(`a session that was ended elsewhere leads out at ${what}`, async () => {
      const { chancery, visitor } = fixture()
      const player = await visitor()
      await player.enter({ nation_id: 'n4' })
      await player.open('/')
      await (await signIn(chancery, { nation_id: 'n4' })).done('POST', '/session/end-all', {})
      await act(player)
      await player.page.getByRole('alert').getByText('Your session has ended').waitFor()
      assert.equal(await button(player.page, 'Sign out').count(), 0)
      assert.equal(await player.page.getByRole('navigation').count(), 0)
      assert.ok(!(await player.page.content()).includes('Belport · '), 'nothing is left of the nation')
      assert.deepEqual(player.complaints, [])
    })
  }

  test('a dialog that is open when the session ends is closed with it', async () => {
    const { chancery, visitor } = fixture()
    const player = await visitor()
    const { page } = player
    await player.enter({ nation_id: 'n4' })
    await player.open('/keys')
    await button(page, 'Create key').click()
    await dialog(page, 'Create key').getByLabel('Name').fill('too late')
    await (await signIn(chancery, { nation_id: 'n4' })).done('POST', '/session/end-all', {})
    await button(dialog(page, 'Create key'), 'Create').click()
    await page.getByText('Your session has ended').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.evaluate(`getComputedStyle(document.body).overflow`), 'visible', 'it scrolls')
    assert.deepEqual(player.complaints, [])
  })

  test('while the server is away the page says so, and goes on when it is back', async t => {
    const { chancery, visitor } = fixture()
    const proxy = await startTcpProxy(t, chancery.url)
    const player = await visitor({ baseURL: proxy.url })
    const { page } = player
    await player.enter({ nation_id: 'n3' })
    await player.open('/keys')
    await goTo(page, 'Verify')

    proxy.cut()
    await button(page, 'Make a code').click()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    proxy.restore()
    await button(page, 'Make a code').click()
    await page.getByRole('region', { name: 'Verification code' }).waitFor()
    assert.equal(await page.getByRole('alert').getByText('The server cannot be reached.').count(), 0)

    // The code is still watched: its redemption is told although the server was away in between.
    const code = await shownCode(page)
    const failed = page.waitForEvent('requestfailed')
    proxy.cut()
    await failed
    assert.equal((await chancery.get(`/discord/verify/${code}`)).status, 200)
    proxy.restore()
    await page.getByText('Whoever redeemed it used no API key.').waitFor()

    // A page whose script has not been fetched, and one whose list has not.
    proxy.cut()
    await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('alert').getByText('This page could not be shown').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    proxy.restore()
    await page.getByRole('navigation').getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('alert').getByText('This page could not be shown').waitFor()
    await button(page, 'Reload').click()
    await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor()
  })

  test('a list that cannot be read says so, and is read when the server is back', async t => {
    const { chancery, visitor } = fixture()
    const proxy = await startTcpProxy(t, chancery.url)
    const { page, open, enter } = await visitor({ baseURL: proxy.url })
    await enter({ nation_id: 'n3' })
    await page.route(
      '**/developers/api/keys',
      route => {
        proxy.cut()
        return route.continue()
      },
      { times: 1 },
    )
    await page.goto('/developers/keys')
    await page.getByRole('alert').getByText('This could not be read').waitFor()
    proxy.restore()
    await button(page, 'Try again').click()
    await page.getByText(`0 of ${limits.keysPerPlayer} keys.`).waitFor()
    await open('/keys')
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('a page that is opened while its server is starting offers to try again', async () => {
    const { page, enter, complaints } = await fixture().visitor()
    await enter({ nation_id: 'n3' })
    await page.route('**/developers/api/**', route => route.fulfill({ status: 503, body: 'starting' }))
    await page.goto('/developers/keys')
    const alert = page.getByRole('alert').filter({ hasText: 'The developer settings could not be opened' })
    await alert.getByText('The server answered 503.').waitFor()
    await page.unroute('**/developers/api/**')
    await button(page, 'Try again').click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    assert.deepEqual(complaints, [])
  })
})
