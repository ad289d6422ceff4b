import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { handover } from '../account/browser.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, goTo, loaded } from './visitor.ts'

describe('signing in to and out of the developer settings', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, visitor } = fixture

  test('a handover link shows the nation, asks for confirmation and works once', async () => {
    const token = await handover(chancery, { nation_id: 'n1', landing: 'keys' })
    const { page, rejections } = await visitor()
    const changes: string[] = []
    page.on('request', req => {
      if (req.method() !== 'GET') changes.push(`${req.method()} ${new URL(req.url()).pathname}`)
    })
    await page.goto(`/developers/#handover=${token}`)
    await loaded(page)
    await page.getByRole('main').getByText('Valdoria', { exact: true }).waitFor()
    await page.getByRole('main').getByText('Leader of Valdoria · Northern Pact [NP]').waitFor()
    assert.deepEqual(changes, ['POST /developers/api/handover'], 'only the preview was requested')
    assert.equal(await button(page, 'Sign out').count(), 0)
    assert.equal((await page.context().cookies()).length, 0)
    assert.ok(!page.url().includes(token) && !page.url().includes('#'), page.url())
    assert.ok(
      !(await page.evaluate<string>('JSON.stringify([history.state, document.referrer])')).includes(token),
    )

    await button(page, 'Continue').click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.getByRole('banner').getByText('Valdoria', { exact: true }).waitFor()
    const [cookie] = await page.context().cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Lax'])
    await page.goBack()
    assert.ok(!page.url().includes(token), 'the history does not contain the token')

    const second = await visitor()
    await second.page.goto(`/developers/#handover=${token}`)
    await second.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await second.page.getByRole('alert').getByText('A link works once, within one minute.').waitFor()
    await button(second.page, 'Close').click()
    await second.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()
    assert.deepEqual(await second.page.context().cookies(), [])
    assert.deepEqual(rejections, [])
  })

  test('cancelling a handover link keeps the current session', async () => {
    const mine = await visitor()
    await mine.signIn({ nation_id: 'n7' })
    const token = await handover(chancery, { nation_id: 'n6' })
    await mine.page.goto(`/developers/#handover=${token}`)
    await mine.page.getByText('You are currently signed in as Sorrow.').waitFor()
    await button(mine.page, 'Cancel').click()
    await mine.page.getByRole('heading', { level: 1, name: 'Verify' }).waitFor()
    await mine.page.getByRole('banner').getByText('Sorrow', { exact: true }).waitFor()
  })

  test('signing out ends the session, and signing out everywhere ends all sessions', async () => {
    const [one, other] = [await visitor(), await visitor()]
    await one.signIn({ nation_id: 'n5' })
    await button(one.page, 'Sign out').click()
    await one.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()
    assert.equal(
      await one.page.getByText('Your session has ended').count(),
      0,
      'signing out is not reported as an ended session',
    )
    await one.open('/keys')
    await one.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()

    await one.signIn({ nation_id: 'n5' })
    await other.signIn({ nation_id: 'n5' })
    await goTo(one.page, 'Account log')
    const table = one.page.getByRole('table', { name: 'Account log' })
    await table.getByText('Signed out', { exact: true }).waitFor()
    assert.equal(await table.getByText('Signed in', { exact: true }).count(), 3)
    await button(one.page, 'Sign out everywhere').click()
    await button(dialog(one.page, 'Sign out everywhere?'), 'Sign out everywhere').click()
    await one.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()
    assert.deepEqual(await one.page.context().cookies(), [])
    await other.open('/')
    await other.page.getByRole('heading', { name: 'Sign in from the game' }).waitFor()
  })
})
