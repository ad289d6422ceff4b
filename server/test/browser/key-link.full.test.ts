import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountKey, AccountList } from '@chancery/contract'
import type { Page } from 'playwright-core'
import { handover, signIn } from '../account/browser.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, dialog, loaded } from './visitor.ts'

const link = '/keys/new?name=War+bot&scopes=military.read,economy.read&expires=30'

describe('a link that requests a key', { skip }, async () => {
  const { chancery, visitor } = await setUpBrowser()

  const keysOf = async (nation_id: string) => {
    const player = await signIn(chancery, { nation_id })
    return (await player.requestOk<AccountList<AccountKey>>('GET', '/keys')).data
  }

  async function assertFilledIn(page: Page) {
    const create = dialog(page, 'Create key')
    await create.getByText('“War bot” requests an API key').waitFor()
    await create
      .getByText(/^your units, reserves, readiness and strategic stockpiles.*\(military\.read\)$/)
      .waitFor()
    await create.getByText('which nation is yours, and its public fields (nation.read, included)').waitFor()
    assert.equal(await create.getByLabel('Name').inputValue(), 'War bot')
    assert.equal(await create.getByLabel('Expiration').inputValue(), '30')
    const checked = create.getByRole('checkbox', { checked: true })
    assert.equal(await checked.count(), 2)
    assert.equal(await create.getByText('of the link is not valid').count(), 0)
    return create
  }

  test('fills in the form, and creates a key only when the player selects it', async () => {
    const { page, open } = await visitor({ as: 'n1' })
    const changes: string[] = []
    page.on('request', req => {
      if (req.method() !== 'GET') changes.push(`${req.method()} ${new URL(req.url()).pathname}`)
    })
    await open(link)
    const create = await assertFilledIn(page)
    await page.keyboard.press('Enter')
    assert.deepEqual([changes, await keysOf('n1')], [[], []])
    await button(create, 'Cancel').click()
    await page.waitForURL('**/developers/keys')
    await open(link)
    await button(create, 'Create').click()
    await button(dialog(page, 'Key created'), 'Done').click()
    await page.waitForURL('**/developers/keys')
    assert.deepEqual(
      (await keysOf('n1')).map(({ name, scopes }) => [name, scopes]),
      [['War bot', ['military.read', 'economy.read']]],
    )
  })

  test('states what is wrong, and shows markup as text', async () => {
    const { page } = await visitor({
      as: 'n2',
      path: '/keys/new?name=%3Cimg%20src=x%20onerror=alert(1)%3E&scopes=military.read,units.write&expires=31',
    })
    const create = dialog(page, 'Create key')
    await create.getByText('“<img src=x onerror=alert(1)>” requests an API key').waitFor()
    await create.getByRole('alert').getByText('Part of the link is not valid').waitFor()
    await create.getByRole('group', { name: 'Scopes' }).getByText('“units.write” is not a scope.').waitFor()
    const expiration = create.getByText('“31” is not a valid expiration.')
    await expiration.waitFor()
    await create.getByLabel('Expiration').selectOption('30')
    await expiration.waitFor({ state: 'detached' })
    assert.equal(await create.getByRole('checkbox', { checked: true }).count(), 1)
  })

  test('is kept while the player signs in by way of the game, in another tab', async () => {
    const { page, open } = await visitor()
    await open(link)
    await page.getByText('“War bot” requests an API key').waitFor()
    const tab = await page.context().newPage()
    const token = await handover(chancery, { nation_id: 'n3', landing: 'webhooks' })
    await tab.goto(`/developers/#handover=${token}`)
    await button(tab, 'Continue').click()
    await assertFilledIn(tab)
    await tab.goto('/developers/')
    await loaded(tab)
    await button(tab, 'Sign out').click()
    await tab.goto(
      `/developers/#handover=${await handover(chancery, { nation_id: 'n3', landing: 'webhooks' })}`,
    )
    await button(tab, 'Continue').click()
    await tab.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  })
})
