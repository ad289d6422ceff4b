import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { query } from '../support/database-url.ts'
import { until } from '../support/until.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { button, goTo } from './visitor.ts'

describe('playground, usage and explore in a browser', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, visitor } = fixture

  /** The keys of a nation's player. */
  async function keysOf(nationId: string) {
    const response = await chancery.operate('GET', `/keys?nation_id=${nationId}`)
    return ((await response.json()) as { data: { name: string; revoked_at: string | null }[] }).data
  }

  test('requests use a temporary key of the player, which is revoked on leaving; rejections are counted', async () => {
    const { page } = await visitor({ as: 'n3', path: '/try', mayHaveProblems: true })
    const sent = async (status: string) => {
      await button(page, 'Send').click()
      await page.getByRole('region', { name: 'Response' }).getByText(status, { exact: true }).waitFor()
    }
    await page.getByLabel('Operation').selectOption('me.nation')
    assert.deepEqual(await keysOf('n3'), [])
    await sent('200')
    await page.getByRole('region', { name: 'Body' }).getByText('"Ostmark"').first().waitFor()
    await page.getByLabel('military', { exact: true }).check()
    await sent('403')
    assert.equal((await keysOf('n3')).length, 1, 'one key serves several requests')
    await page.getByText('Scopes: nation.read').click()
    await page.getByLabel('military.read', { exact: true }).check()
    await sent('200')
    assert.deepEqual(
      (await keysOf('n3')).map(({ name, revoked_at }) => [name, revoked_at !== null]).sort(),
      [
        ['Playground', false],
        ['Playground', true],
      ],
      'other scopes replace the key',
    )

    await page.getByLabel('Operation').selectOption('wars.list')
    assert.deepEqual(await page.getByLabel('status', { exact: true }).locator('option').allInnerTexts(), [
      'Not set',
      'active',
      'ended',
    ])
    await page.getByLabel('status', { exact: true }).selectOption('ended')
    await page.getByLabel('limit').fill('canary_value')
    await sent('400')

    await goTo(page, 'Usage')
    const rejected = page.getByRole('table', { name: 'Rejected requests by error code' })
    await rejected.getByRole('row', { name: 'invalid_parameter limit 1' }).waitFor()
    assert.ok(!(await page.content()).includes('canary_value'))
    await until(
      async () => (await keysOf('n3')).every(({ revoked_at }) => revoked_at !== null),
      'the key is revoked after leaving the page',
    )
  })

  test('a temporary key is revoked on reload, on sign-out, and when it arrives after leaving', async () => {
    const { page, open } = await visitor({ as: 'n5', path: '/try' })
    const prepare = () => page.getByLabel('Operation').selectOption('me.nation')
    const send = async () => {
      await button(page, 'Send').click()
      await page.getByRole('region', { name: 'Response' }).getByText('200', { exact: true }).waitFor()
    }
    const isRevoked = (count: number) =>
      until(async () => {
        const keys = await keysOf('n5')
        return keys.length === count && keys.every(({ revoked_at }) => revoked_at !== null)
      }, `${count} keys are revoked`)

    await prepare()
    await send()
    await page.reload()
    await isRevoked(1)

    await prepare()
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/developers/api/keys', async route => {
      const response = await route.fetch()
      hold()
      await isReleased
      await route.fulfill({ response })
    })
    await button(page, 'Send').click()
    await isHeld
    await goTo(page, 'Account log')
    release()
    await isRevoked(2)
    await page.unroute('**/developers/api/keys')

    await open('/try')
    await prepare()
    await send()
    await button(page, 'Sign out').click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await isRevoked(3)
  })

  test('the key used last or made last is selected, and a long list of its requests is shown by page', async () => {
    const { page, open } = await visitor({ as: 'n2', path: '/usage', viewport: { width: 390, height: 800 } })
    await chancery.makeKey({ nation_id: 'n2' })
    await query(
      chancery.databaseUrl,
      "update chancery_access.api_key set last_used_at = created_at - interval '1 hour'",
    )
    const { key } = await chancery.makeKey({ nation_id: 'n2' })
    for (let count = 0; count < 24; count += 1) await chancery.get('/nations', { key })
    await chancery.get('/nations?limt=5', { key })
    await open('/usage')
    const rejected = page.getByRole('table', { name: 'Rejected requests by error code' })
    await rejected.getByText('unknown, similar to limit').waitFor()
    const rows = page.getByRole('table', { name: 'Recent requests' }).locator('tbody').getByRole('row')
    await page.getByText('1 to 10 of 25 requests').waitFor()
    assert.equal(await rows.count(), 10)
    assert.ok((await page.evaluate<number>('document.documentElement.scrollHeight')) < 4_000)
    const pages = page.getByRole('navigation', { name: 'Pages of requests' })
    await button(pages, 'Next').click()
    await button(pages, 'Next').click()
    await page.getByText('21 to 25 of 25 requests').waitFor()
    assert.equal(await rows.count(), 5)
    assert.ok(await button(pages, 'Next').isDisabled())
  })

  test('explore shows words, and JSON as the API sends it', async () => {
    const { page } = await visitor({ as: 'n3', path: '/explore' })
    const table = page.getByRole('table', { name: 'Ostmark' })
    await table.getByRole('rowheader', { name: /^National score/ }).waitFor()
    const words = await table.innerText()
    assert.match(words, /1,200/)
    assert.doesNotMatch(words, /national_score\b.*Public|\bnull\b|"Ostmark"|[{}]/)
    await page.getByText('JSON', { exact: true }).click()
    await table.getByRole('rowheader', { name: /^national_score/ }).waitFor()
    assert.match(await table.innerText(), /"Ostmark"/)
  })
})
