import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { handover } from '../account/browser.ts'
import { put } from '../ingest/facts.ts'
import { until } from '../support/until.ts'
import { setUpBrowser } from './browser-fixture.ts'
import { skip } from './chromium.ts'
import { seedPlayer } from './seed-player.ts'
import { views } from './views.ts'
import { button, loaded } from './visitor.ts'

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** A folder for screenshots of every page, light and dark, wide and on a phone. */
const { CHANCERY_TEST_SCREENSHOTS: screenshotFolder } = process.env

async function takeScreenshots(page: Page, folder: string, name: string): Promise<void> {
  const size = page.viewportSize()
  for (const width of [360, 1280])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true })
      assert.ok(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        `${name}, ${width}`,
      )
    }
  if (size) await page.setViewportSize(size)
}

describe('every page of the developer settings', { skip }, async () => {
  const fixture = await setUpBrowser()
  const { chancery, visitor } = fixture
  await seedPlayer(fixture, 'n1')
  /** One player visits all pages in one browser. */
  const player = await visitor({ as: 'n1' })

  /** Serious and critical violations that axe finds. It runs through the debugger, so that the content security policy stays in force. */
  async function violationsOf(page: Page, colorScheme: 'light' | 'dark', options: object): Promise<string[]> {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    // Colours in the middle of a transition would be measured otherwise.
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

  /** Asserts that a page has no violation in the light theme, and none of colours in the dark theme. */
  async function assertAccessible(page: Page, name: string) {
    if (screenshotFolder) await takeScreenshots(page, screenshotFolder, name)
    assert.deepEqual(await violationsOf(page, 'light', {}), [], name)
    const ofColors = { runOnly: ['color-contrast', 'link-in-text-block'] }
    assert.deepEqual(await violationsOf(page, 'dark', ofColors), [], `${name}, dark theme`)
  }

  for (const { name, path, prepare } of views) {
    test(`${name} is accessible, logs no errors and requests no other origin`, async () => {
      player.problems.length = player.rejections.length = 0
      await player.open(path)
      await prepare?.(player.page)
      await loaded(player.page)
      await assertAccessible(player.page, name)
      assert.deepEqual(player.rejections, [])
    })
  }

  test('every page in the navigation is tested', async () => {
    await player.open('/')
    const links = player.page.getByRole('navigation').getByRole('link')
    const paths = await links.evaluateAll(all => all.map(link => link.getAttribute('href') as string))
    const seen = new Set(views.map(({ path }) => `/developers${path}`))
    assert.deepEqual(
      paths.filter(path => !seen.has(path) && !/\/docs(\/guides)?$/.test(path)),
      [],
    )
    assert.ok(paths.length > 6)
  })

  test('the signed-out pages are accessible, and only the expected requests are rejected', async () => {
    const outsider = await visitor()
    const { page } = outsider
    await outsider.open('/')
    await assertAccessible(page, 'signed out')
    const token = await handover(chancery, { nation_id: 'n2' })
    await page.goto(`/developers/#handover=${token}`)
    await button(page, 'Continue').waitFor()
    await assertAccessible(page, 'link')
    await page.goto('/developers/#handover=used-long-ago')
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
    await assertAccessible(page, 'used link')
    assert.deepEqual(outsider.rejections, ['410 POST /handover'])
  })

  test('empty lists link to a guide that exists', async () => {
    const newcomer = await visitor({ as: 'n5' })
    for (const path of ['/', '/keys']) {
      await newcomer.open(path)
      await assertAccessible(newcomer.page, `empty ${path.slice(1)}`)
      const links = newcomer.page.getByRole('main').locator('a[href*="/docs/guides/"]')
      assert.equal(await links.count(), 2, path)
      for (const link of await links.all())
        assert.equal((await fetch((await link.getAttribute('href')) ?? '')).status, 200)
    }
  })

  test('the menu on a phone is accessible', async () => {
    const { page } = await visitor({
      as: 'n1',
      path: '/',
      viewport: { width: 360, height: 640 },
    })
    await button(page, 'Menu').click()
    await page.getByRole('navigation').waitFor()
    await assertAccessible(page, 'menu')
  })

  test('a flag is requested from its host without a referrer, and a missing one is hidden', async () => {
    const flag = 'https://flags.example/n6.png'
    await chancery.ingest([put('nation', { id: 'n6', flag_url: flag })])
    const { page, problems, open, signInByApi } = await visitor({ mayHaveProblems: true })
    const requests: object[] = []
    await page.route('https://flags.example/**', async route => {
      const req = route.request()
      requests.push({ kind: req.resourceType(), referer: (await req.allHeaders()).referer })
      await route.fulfill({ status: 404, body: '' })
    })
    await signInByApi({ nation_id: 'n6' })
    await open('/')
    await page.getByRole('banner').getByText('Ulmen', { exact: true }).waitFor()
    await page.getByRole('banner').locator('img').waitFor({ state: 'detached' })
    assert.ok(requests.length > 0)
    assert.deepEqual([...new Set(requests.map(req => JSON.stringify(req)))], ['{"kind":"image"}'])
    // All problems are about the flag.
    assert.deepEqual(
      problems.filter(words => !words.includes(flag) && !/404/.test(words)),
      [],
    )
    assert.ok(problems.includes(`requests ${flag}`), 'a request to another origin is detected')
  })

  test('the content security policy blocks an injected script, and the test detects it', async () => {
    const { page, problems } = await visitor({ path: '/', mayHaveProblems: true })
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'window.hasRun = true'
      document.body.append(script)
    }`)
    assert.equal(await page.evaluate('window.hasRun'), undefined)
    await until(() => problems.includes('violates script-src-elem: inline'), 'the violation is detected')
  })
})

describe('below a base path', { skip }, async () => {
  const fixture = await setUpBrowser({}, '/eu1')
  const { chancery, visitor } = fixture
  await seedPlayer(fixture, 'n1')
  const player = await visitor()

  test('a player signs in and visits every page without a request outside it', async () => {
    await player.signIn({ nation_id: 'n1' })
    for (const { path, prepare } of views) {
      await player.open(path)
      await prepare?.(player.page)
      await loaded(player.page)
      const links = await player.page
        .locator('a[href]')
        .evaluateAll(all => all.map(link => (link as unknown as { href: string }).href))
      for (const link of links.filter(link => link.startsWith(new URL(chancery.url).origin)))
        assert.ok(link.startsWith(`${chancery.url}/`), `${path}: ${link}`)
    }
    assert.deepEqual(player.rejections, [])
  })

  test('the reference sends requests of "Try it" to the API below it', async () => {
    const { page } = player
    await page.goto(`${chancery.url}/docs/#game.get`)
    const { key } = await chancery.makeKey({ nation_id: 'n1' })
    await page.getByLabel(/^API key/).fill(key)
    assert.deepEqual(await page.evaluate('Object.entries(sessionStorage)'), [
      ['key of /eu1/docs/reference.js', key],
    ])
    const operation = page.locator('section.operation', { has: page.locator('[id="game.get"]') })
    await operation.getByText('Try it', { exact: true }).click()
    await button(operation, 'Send request').click()
    await operation.getByText('200 OK').waitFor()
  })
})
