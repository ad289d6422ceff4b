import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { handover } from '../account/browser.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, heading, loaded, shownCode } from './visitor.ts'

describe('the developer settings by keyboard alone', { skip }, () => {
  const fixture = setUpBrowser()

  const isFocused = (target: Locator) =>
    target.evaluate(element => element === element.ownerDocument.activeElement)
  const holdsFocus = (target: Locator) =>
    target.evaluate(element => element.contains(element.ownerDocument.activeElement))

  /** Goes on with Tab, or back with Shift+Tab, until something has the focus. */
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

  /** Waits until something has the focus: where the focus was lost, whoever uses the keyboard begins again at the top. */
  async function focused(target: Locator, what: string, holds = isFocused) {
    await target.waitFor()
    const deadline = performance.now() + 60_000
    while (!(await holds(target))) {
      const there = await target.page().evaluate<string>('document.activeElement?.outerHTML.slice(0, 200)')
      assert.ok(performance.now() < deadline, `${what}: the focus is on ${there}`)
    }
  }

  /** Asserts that Tab goes round within the open dialog, both ways. */
  async function isTrap(page: Page) {
    for (const key of ['Tab', 'Shift+Tab']) {
      const visited = new Set<string>()
      for (let presses = 0; presses < 25; presses += 1) {
        await page.keyboard.press(key)
        const there = await page.evaluate<string | null>(`
          document.activeElement.closest('[role="dialog"]') && document.activeElement.outerHTML`)
        assert.ok(there !== null, `${key} leads out of the dialog`)
        visited.add(there)
      }
      assert.ok(visited.size > 1)
    }
  }

  test('a player signs in, verifies, and knows at every step where they are', async () => {
    const { chancery, visitor } = fixture()
    const { page, complaints } = await visitor()
    const token = await handover(chancery, { nation_id: 'n1' })
    await page.goto(`/developers/#handover=${token}`)
    await loaded(page)
    await page.keyboard.press('Tab')
    const skipLink = page.getByRole('link', { name: 'Skip to the content' })
    assert.ok(await isFocused(skipLink))
    await page.keyboard.press('Enter')
    await focused(page.getByRole('main'), 'after skipping to the content')
    await press(button(page, 'Go on'))
    await focused(page.getByRole('heading', { level: 1, name: 'Verify' }), 'after signing in')

    await press(button(page, 'Make a code'), 'Space')
    const code = page.getByRole('region', { name: 'Verification code' })
    await focused(code, 'after making a code')
    await press(button(page, 'Copy code'))
    await press(button(page, 'Cancel this code'))
    await focused(button(page, 'Make a code'), 'after cancelling')

    const account = page.getByLabel('Only for this chat account (optional)')
    await tabTo(account)
    await page.keyboard.type('4711')
    await tabTo(button(page, 'Make a code'), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await focused(code, 'after making another')
    await page.getByText('It works for the chat account 4711 alone.').waitFor()
    assert.equal((await chancery.get(`/discord/verify/${await shownCode(page)}?for=4711`)).status, 200)
    await focused(button(page, 'Make another code'), 'after it was redeemed')
    await page.getByRole('status').getByText('Your code was redeemed, by a bot without an API key.').waitFor()
    await page.keyboard.press('Enter')
    await focused(button(page, 'Make a code'), 'when another is to be made')

    await page.keyboard.press('Enter')
    await focused(code, 'after making a third')
    const row = page.getByRole('table', { name: 'Codes that are waiting' }).getByRole('button')
    await row.waitFor()
    await press(row)
    await focused(heading(page), 'after cancelling it in the list')
    assert.deepEqual(complaints, [])
  })

  test('keys are made, replaced and revoked in dialogs that keep the focus and give it back', async () => {
    const { page, complaints, open, enter } = await fixture().visitor()
    await enter({ nation_id: 'n2' })
    await open('/')
    await press(page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }))
    await focused(page.getByRole('heading', { level: 1, name: 'Keys' }), 'after going to another page')

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
    await tabTo(create.getByLabel('Expires'))
    await page.keyboard.press('ArrowUp')
    assert.equal(await create.getByLabel('Expires').inputValue(), '30')
    await press(button(create, 'Create'))
    const made = dialog(page, 'Your new key')
    await focused(made, 'when the key is shown', holdsFocus)
    await isTrap(page)
    await page.keyboard.press('Escape')
    assert.equal(await made.count(), 1, 'a key that is shown this once is not closed by a slip')
    await press(button(made, 'I have copied it'))
    await focused(button(page, 'Create key'), 'after the key was shown')

    const card = page.getByRole('list', { name: 'Keys that work' }).getByRole('listitem').first()
    await press(button(card, 'Replace'))
    const replace = dialog(page, 'Replace “By keyboard”')
    await focused(replace.getByLabel('The old key works for another'), 'in the dialog')
    await isTrap(page)
    await page.keyboard.press('Escape')
    await focused(button(card, 'Replace'), 'after Escape')

    await press(button(card, 'Ask for a higher limit'))
    const ask = dialog(page, 'A higher limit for “By keyboard”')
    await focused(ask.getByLabel('Calls a minute'), 'in the dialog')
    await page.keyboard.press('Escape')
    await focused(button(card, 'Ask for a higher limit'), 'after Escape')

    await press(button(card, 'Revoke'))
    const revoke = dialog(page, 'Revoke “By keyboard”?')
    await focused(button(revoke, 'Cancel'), 'in a dialog that asks')
    await isTrap(page)
    await page.keyboard.press('Escape')
    await focused(button(card, 'Revoke'), 'after Escape')
    await page.keyboard.press('Enter')
    await press(button(revoke, 'Revoke key'))
    await page.getByRole('status').getByText('Revoked the key By keyboard.').waitFor()
    await page.getByText('You have no key.').waitFor()
    await focused(heading(page), 'after the key is gone')
    assert.deepEqual(complaints, [])
  })

  test('a webhook is added, edited and removed, and the focus follows', async () => {
    const { receiver, visitor } = fixture()
    const { page, complaints, open, enter } = await visitor()
    await enter({ nation_id: 'n3' })
    await open('/webhooks')
    await press(page.getByRole('link', { name: 'Add endpoint' }))
    await focused(page.getByRole('heading', { level: 1, name: 'Add endpoint' }), 'on the form')
    await tabTo(page.getByLabel('URL'))
    await page.keyboard.type(receiver.url('/by-keyboard'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Endpoint added' }).waitFor()
    await focused(page.getByRole('main'), 'after adding', holdsFocus)
    await press(page.getByRole('link', { name: 'I have copied it' }))
    await focused(heading(page), 'on its own page')
    await press(button(page, 'Edit'))
    await focused(page.getByRole('heading', { level: 1, name: 'Edit endpoint' }), 'when editing')
    await press(button(page, 'Save'))
    await button(page, 'Edit').waitFor()
    await focused(heading(page), 'after saving')
    await press(button(page, 'Switch off'))
    await button(page, 'Switch on').waitFor()
    await focused(button(page, 'Switch on'), 'after switching off')
    await page.keyboard.press('Enter')
    await focused(button(page, 'Send test'), 'after switching on')
    await press(button(page, 'Remove'))
    await focused(button(dialog(page, 'Remove this endpoint?'), 'Cancel'), 'in a dialog that asks')
    await press(button(page, 'Remove endpoint'))
    await focused(page.getByRole('heading', { level: 1, name: 'Webhooks' }), 'after removing')
    assert.deepEqual(complaints, [])
  })

  test('on a phone the menu opens, leads on, and closes', async () => {
    const { page, complaints, open, enter } = await fixture().visitor({
      viewport: { width: 360, height: 640 },
    })
    await enter({ nation_id: 'n1' })
    await open('/')
    const menu = button(page, 'Menu')
    await press(menu)
    assert.equal(await menu.getAttribute('aria-expanded'), 'true')
    await press(page.getByRole('navigation').getByRole('link', { name: 'Explore' }))
    await focused(page.getByRole('heading', { level: 1, name: 'Explore' }), 'after going to another page')
    assert.equal(await menu.getAttribute('aria-expanded'), 'false')
    assert.equal(await page.getByRole('navigation').isVisible(), false)
    assert.deepEqual(complaints, [])
  })
})
