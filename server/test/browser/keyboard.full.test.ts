import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { handover } from '../account/browser.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, displayedCode, heading, keyButton, loaded } from './visitor.ts'

describe('the developer settings by keyboard alone', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, receiver, visitor } = fixture

  const isFocused = (target: Locator) =>
    target.evaluate(element => element === element.ownerDocument.activeElement)
  const holdsFocus = (target: Locator) =>
    target.evaluate(element => element.contains(element.ownerDocument.activeElement))

  /** Presses Tab, or Shift+Tab, until the target has the focus. */
  async function tabTo(target: Locator, key = 'Tab') {
    const page = target.page()
    for (let presses = 0; presses < 60; presses += 1) {
      if (await isFocused(target)) return
      await page.keyboard.press(key)
    }
    assert.fail(`${target} is not reached with ${key}`)
  }

  async function press(target: Locator, key = 'Enter') {
    await tabTo(target)
    await target.page().keyboard.press(key)
  }

  /** Waits until the target has the focus. A lost focus would send keyboard users back to the top of the page. */
  async function focused(target: Locator, what: string, holds = isFocused) {
    await target.waitFor()
    const deadline = performance.now() + 60_000
    while (!(await holds(target))) {
      const there = await target.page().evaluate<string>('document.activeElement?.outerHTML.slice(0, 200)')
      assert.ok(performance.now() < deadline, `${what}: the focus is on ${there}`)
    }
  }

  /** Asserts that Tab cycles within the open dialog, in both directions. */
  async function isTrap(page: Page) {
    for (const key of ['Tab', 'Shift+Tab']) {
      const visited = new Set<string>()
      for (let presses = 0; presses < 25; presses += 1) {
        await page.keyboard.press(key)
        const there = await page.evaluate<string | null>(`
          document.activeElement.closest('[role="dialog"]') && document.activeElement.outerHTML`)
        assert.ok(there !== null, `${key} leaves the dialog`)
        visited.add(there)
      }
      assert.ok(visited.size > 1)
    }
  }

  test('a player signs in and verifies, and the focus is never lost', async () => {
    const { page } = await visitor()
    const token = await handover(chancery, { nation_id: 'n1' })
    await page.goto(`/developers/#handover=${token}`)
    await loaded(page)
    await page.keyboard.press('Tab')
    const skipLink = page.getByRole('link', { name: 'Skip to content' })
    assert.ok(await isFocused(skipLink))
    await page.keyboard.press('Enter')
    await focused(page.getByRole('main'), 'after skipping to the content')
    await press(button(page, 'Continue'))
    await focused(page.getByRole('heading', { level: 1, name: 'Verify' }), 'after signing in')

    await press(button(page, 'Create code'), 'Space')
    const code = page.getByRole('region', { name: 'Verification code' })
    await focused(code, 'after creating a code')
    await press(button(page, 'Copy code'))
    await press(button(page, 'Cancel code'))
    await focused(button(page, 'Create code'), 'after cancelling')

    const account = page.getByLabel('Chat account (optional)')
    await tabTo(account)
    await page.keyboard.type('80351110224678912')
    await tabTo(button(page, 'Create code'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await focused(code, 'after creating another')
    await page.getByText('Only the chat account 80351110224678912 can redeem it.').waitFor()
    const redeemed = await chancery.get(`/discord/verify/${await displayedCode(page)}?for=80351110224678912`)
    assert.equal(redeemed.status, 200)
    await focused(button(page, 'Create another code'), 'after it was redeemed')
    await page
      .getByRole('status')
      .getByText('Your code was redeemed by a client without an API key.')
      .waitFor()
    await page.keyboard.press('Enter')
    await focused(button(page, 'Create code'), 'after resetting')

    await page.keyboard.press('Enter')
    await focused(code, 'after creating a third')
    const row = page.getByRole('table', { name: 'Active codes' }).getByRole('button')
    await row.waitFor()
    await press(row)
    await focused(heading(page), 'after cancelling it in the list')
  })

  test('keys are created, regenerated and revoked in dialogs that trap the focus and return it', async () => {
    const { page } = await visitor({ as: 'n2', path: '/' })
    await press(page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }))
    await focused(page.getByRole('heading', { level: 1, name: 'Keys' }), 'after navigating')

    await press(button(page, 'Create key'))
    const create = dialog(page, 'Create key')
    await focused(create.getByLabel('Name'), 'in the dialog')
    await isTrap(page)
    await page.keyboard.press('Escape')
    await focused(button(page, 'Create key'), 'after Escape')
    await page.keyboard.press('Space')
    await focused(create.getByLabel('Name'), 'in the dialog')
    await page.keyboard.type('By keyboard')
    await press(create.getByLabel('economy.read'), 'Space')
    await tabTo(create.getByLabel('Expiration'))
    await page.keyboard.press('ArrowUp')
    assert.equal(await create.getByLabel('Expiration').inputValue(), '30')
    await press(button(create, 'Create'))
    const made = dialog(page, 'Key created')
    await focused(made, 'when the key is shown', holdsFocus)
    await isTrap(page)
    await page.keyboard.press('Escape')
    assert.equal(await made.count(), 1, 'Escape does not close a key that is shown only once')
    await press(button(made, 'Done'))
    await focused(button(page, 'Create key'), 'after closing the new key')

    const card = page.getByRole('list', { name: 'Active keys' }).getByRole('listitem').first()
    await press(keyButton(card, 'Regenerate'))
    const regenerate = dialog(page, /^Regenerate “By keyboard” \(chk_/)
    await focused(regenerate.getByLabel('Old key expires'), 'in the dialog')
    await isTrap(page)
    await page.keyboard.press('Escape')
    await focused(keyButton(card, 'Regenerate'), 'after Escape')

    await press(keyButton(card, 'Request higher limit'))
    const request = dialog(page, 'Request a higher limit for “By keyboard”')
    await focused(request.getByLabel('Requests per minute'), 'in the dialog')
    await page.keyboard.press('Escape')
    await focused(keyButton(card, 'Request higher limit'), 'after Escape')

    await press(keyButton(card, 'Revoke'))
    const revoke = dialog(page, /^Revoke “By keyboard” \(chk_/)
    await focused(button(revoke, 'Cancel'), 'in a confirmation dialog')
    await isTrap(page)
    await page.keyboard.press('Escape')
    await focused(keyButton(card, 'Revoke'), 'after Escape')
    await page.keyboard.press('Enter')
    await press(button(revoke, 'Revoke key'))
    await page.getByRole('status').getByText('Revoked the key By keyboard, chk_').waitFor()
    await page.getByText('You have no API keys.').waitFor()
    await focused(heading(page), 'after the key was revoked')
  })

  test('a webhook is added, edited and removed, and the focus moves to the next step', async () => {
    const { page } = await visitor({ as: 'n3', path: '/webhooks' })
    await press(page.getByRole('link', { name: 'Add endpoint' }))
    await focused(page.getByRole('heading', { level: 1, name: 'Add endpoint' }), 'on the form')
    await tabTo(page.getByLabel('URL'))
    await page.keyboard.type(receiver.url('/by-keyboard'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Endpoint added' }).waitFor()
    await focused(page.getByRole('main'), 'after adding', holdsFocus)
    await press(button(page, 'Send test and activate'))
    await page.getByText('Test delivered').waitFor()
    await press(page.getByRole('link', { name: 'Done' }))
    await focused(heading(page), 'on its own page')
    await press(button(page, 'Edit'))
    await focused(page.getByRole('heading', { level: 1, name: 'Edit endpoint' }), 'when editing')
    await press(button(page, 'Save'))
    await button(page, 'Edit').waitFor()
    await focused(heading(page), 'after saving')
    await press(button(page, 'Disable'))
    await button(page, 'Enable').waitFor()
    await focused(button(page, 'Enable'), 'after disabling')
    await page.keyboard.press('Enter')
    await focused(button(page, 'Send test'), 'after enabling')
    await press(button(page, 'Remove'))
    await focused(button(dialog(page, 'Remove this endpoint?'), 'Cancel'), 'in a confirmation dialog')
    await press(button(page, 'Remove endpoint'))
    await focused(page.getByRole('heading', { level: 1, name: 'Webhooks' }), 'after removing')
  })

  test('on a phone the header names the nation, and the menu opens, navigates and closes', async () => {
    const { page } = await visitor({
      as: 'n1',
      path: '/',
      viewport: { width: 360, height: 640 },
    })
    await page.getByRole('banner').getByText('Valdoria', { exact: true }).waitFor()
    assert.equal(await page.getByRole('banner').getByText('Leader of Valdoria').isVisible(), false)
    const menu = button(page, 'Menu')
    await press(menu)
    assert.equal(await menu.getAttribute('aria-expanded'), 'true')
    await press(page.getByRole('navigation').getByRole('link', { name: 'Explore' }))
    await focused(page.getByRole('heading', { level: 1, name: 'Explore' }), 'after navigating')
    assert.equal(await menu.getAttribute('aria-expanded'), 'false')
    assert.equal(await page.getByRole('navigation').isVisible(), false)
  })
})
