import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { handover } from '../account/browser.ts'
import { until } from '../support/until.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { seedPlayer } from './seed-player.ts'
import { views } from './views.ts'
import { button, loaded, type Visitor } from './visitor.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('every page of the developer settings', { skip }, () => {
  const fixture = setUpBrowser()
  before(() => seedPlayer(fixture(), 'n1'))

  /** Every page is looked at by one player in one browser, as people go from page to page. */
  let player: Visitor
  before(async () => {
    player = await fixture().visitor()
    await player.enter({ nation_id: 'n1' })
  })

  /** What axe finds serious or critical. The debugger runs it, not the page: its policy stays in force. */
  async function barriersOf(page: Page, colorScheme: 'light' | 'dark', options: object): Promise<string[]> {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    // Colours in the middle of a transition are those of nobody's page.
    await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      .then(() => Promise.all(document.getAnimations()
        .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
        .map(({ finished }) => finished.catch(() => {}))))`)
    await page.evaluate(`window.axe ?? (() => { ${axeSource} })()`)
    return page.evaluate<string[]>(`
      axe.run(${JSON.stringify({ ...options, resultTypes: ['violations'] })}).then(({ violations }) => violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`)
  }

  /** Looks for barriers in the light, and for those that are of colours in the dark too. */
  async function look(page: Page, name: string) {
    assert.deepEqual(await barriersOf(page, 'light', {}), [], name)
    const ofColors = { runOnly: ['color-contrast', 'link-in-text-block'] }
    assert.deepEqual(await barriersOf(page, 'dark', ofColors), [], `${name}, in the dark`)
  }

  for (const { name, path, prepare } of views) {
    test(`${name} has no barrier, and neither complains nor asks another origin`, async () => {
      player.complaints.length = player.refusals.length = 0
      await player.open(path)
      await prepare?.(player.page)
      await loaded(player.page)
      await look(player.page, name)
      assert.deepEqual([player.complaints, player.refusals], [[], []])
    })
  }

  test('these are all the pages that there are ways to', async () => {
    await player.open('/')
    const links = player.page.getByRole('navigation').getByRole('link')
    const paths = await links.evaluateAll(all => all.map(link => link.getAttribute('href') as string))
    const seen = new Set(views.map(({ path }) => `/developers${path}`))
    assert.deepEqual(
      paths.filter(path => !seen.has(path) && !path.endsWith('/docs')),
      [],
    )
    assert.ok(paths.length > 6)
  })

  test('the pages of whoever is not signed in have no barrier, and complain of the refusal alone', async () => {
    const { chancery, visitor } = fixture()
    const stranger = await visitor()
    const { page } = stranger
    await stranger.open('/')
    await look(page, 'signed out')
    const token = await handover(chancery, { nation_id: 'n2' })
    await page.goto(`/developers/#handover=${token}`)
    await button(page, 'Go on').waitFor()
    await look(page, 'link')
    await page.goto('/developers/#handover=used-long-ago')
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await look(page, 'used link')
    assert.deepEqual(stranger.complaints, [])
    assert.deepEqual([...new Set(stranger.refusals)], ['401 GET /session', '410 POST /handover'])
  })

  test('the menu of a phone has no barrier', async () => {
    const { page, complaints, open, enter } = await fixture().visitor({
      viewport: { width: 360, height: 640 },
    })
    await enter({ nation_id: 'n1' })
    await open('/')
    await button(page, 'Menu').click()
    await page.getByRole('navigation').waitFor()
    await look(page, 'menu')
    assert.deepEqual(complaints, [])
  })

  test('a flag is asked for where the game keeps it, without saying from where; a missing one leaves no hole', async () => {
    const { chancery, visitor } = fixture()
    const flag = 'https://flags.example/n6.png'
    await chancery.ingest([{ op: 'put', resource: 'nation', data: { id: 'n6', flag_url: flag } }])
    const { page, complaints, open, enter } = await visitor()
    const asked: object[] = []
    await page.route('https://flags.example/**', async route => {
      const req = route.request()
      asked.push({ kind: req.resourceType(), referer: (await req.allHeaders()).referer })
      await route.fulfill({ status: 404, body: '' })
    })
    await enter({ nation_id: 'n6' })
    await open('/')
    await page.getByRole('banner').getByText('Ulmen', { exact: true }).waitFor()
    await page.getByRole('banner').locator('img').waitFor({ state: 'detached' })
    assert.ok(asked.length > 0)
    assert.deepEqual([...new Set(asked.map(req => JSON.stringify(req)))], ['{"kind":"image"}'])
    // Of its complaints all are of the flag.
    assert.deepEqual(
      complaints.filter(words => !words.includes(flag) && !/404/.test(words)),
      [],
    )
    assert.ok(complaints.includes(`asks ${flag}`), 'the test would see another origin')
  })

  test('what a script of somebody else would do is stopped, and seen here', async () => {
    const { page, complaints, open } = await fixture().visitor()
    await open('/')
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'window.hasRun = true'
      document.body.append(script)
    }`)
    assert.equal(await page.evaluate('window.hasRun'), undefined)
    await until(() => complaints.includes('violates script-src-elem: inline'), 'it is seen')
  })
})
