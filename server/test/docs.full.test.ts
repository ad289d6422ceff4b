import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { openBuiltPages } from '../src/docs/built-pages.ts'
import { launchChromium, skip } from './browser/chromium.ts'
import { startDocs, stubName } from './support/docs-server.ts'

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

let app: FastifyInstance
let origin: string
before(async () => {
  ;({ app, origin } = await startDocs('public'))
})
after(() => app.close())

describe('the reference in a browser', { skip }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  /** A page, what it requests, and what the browser complains about. */
  async function open(url: string, width = 1280) {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    const urls: string[] = []
    const complaints: string[] = []
    page.on('request', request => urls.push(request.url()))
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(url)
    return { page, urls, complaints }
  }

  const section = (page: Page, id: string) =>
    page.locator('section.operation', { has: page.locator(`[id="${id}"]`) })

  test('the page sends requests with a key to this server only', async () => {
    const { page, urls, complaints } = await open(`${origin}/docs`)
    await page.getByLabel('API key for').fill('chk_secret')
    const operation = section(page, 'nations.get')
    await operation.getByText('Try it', { exact: true }).click()
    await operation.getByLabel('id', { exact: true }).fill('n 1/2')
    await operation.getByLabel('id', { exact: true }).press('Enter')
    await operation.getByText('200 OK').waitFor()
    await operation.getByText('Response headers').click()
    const texts = await operation.locator('form code').allInnerTexts()
    assert.match(texts[0] ?? '', /^content-type: application\/json/m)
    assert.deepEqual(JSON.parse(texts[1] ?? ''), {
      data: { name: stubName, params: { id: 'n 1/2' }, query: {}, key: 'Bearer chk_secret' },
    })
    assert.ok(urls.includes(`${origin}/api/v1/nations/n%201%2F2`), urls.join('\n'))
    assert.deepEqual(
      urls.filter(
        url => (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) || url.includes('secret'),
      ),
      [],
    )
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('an operation with a body is sent from the operator reference', async t => {
    const docs = await startDocs('operator')
    t.after(() => docs.app.close())
    const { page, complaints } = await open(`${docs.origin}/docs/#facts.send`)
    const operation = section(page, 'facts.send')
    await operation.getByText('Try it', { exact: true }).click()
    await operation.getByLabel('Idempotency-Key').fill('batch-1')
    await operation.getByLabel('Body').fill('{"facts":[]}')
    await operation.getByRole('button', { name: 'Send request' }).click()
    await operation.getByText('200 OK').waitFor()
    const sent = await operation.locator('form code').last().textContent()
    assert.deepEqual(JSON.parse(sent ?? ''), { body: { facts: [] }, id: 'batch-1' })
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('the search finds operations by name, path and parameter, and Enter leads to the first', async () => {
    const { page } = await open(`${origin}/docs/`)
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('min_score')
    await page.getByText('1 operation', { exact: true }).waitFor()
    await search.press('Enter')
    assert.equal(new URL(page.url()).hash, '#nations.list')
    await search.fill('market')
    assert.equal(await page.locator('.contents li[data-words]:visible').count(), 3)
    await page.close()
  })

  test('one choice of a language is that of all examples', async () => {
    const { page } = await open(`${origin}/docs/`)
    await section(page, 'nations.list').getByLabel('Python').check()
    const shown = section(page, 'wars.get').locator('pre[data-language]:visible')
    assert.deepEqual(await shown.evaluateAll(all => all.map(block => block.getAttribute('data-language'))), [
      'Python',
    ])
    await page.close()
  })

  /** One of each kind of part, and all others closed: everything takes a minute. */
  const looked = [
    'header',
    '.contents',
    '.key',
    '.operation:has([id="me.nation"])',
    'section:has(#introduction)',
  ]

  const cutElements = (page: Page, within: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${within} *')]
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
      .filter(element => getComputedStyle(element).display !== 'inline' && !element.matches('.wide'))
      .map(({ outerHTML }) => outerHTML.slice(0, 200))`)

  /** What axe finds in light and dark, in the elements that `include` selects. */
  async function violations(page: Page, include: readonly unknown[]): Promise<string[]> {
    await page.evaluate(axeSource)
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const options = `{ include: ${JSON.stringify(include)} }, { resultTypes: ['violations'] }`
      const ids = await page.evaluate<string[]>(`axe.run(${options})
        .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`)
      found.push(...ids.map(id => `${colorScheme}: ${id}`))
    }
    return found
  }

  for (const width of [390, 1280]) {
    test(`at ${width} pixels nothing of the reference is cut, and axe finds no barrier in light and dark`, async () => {
      const { page } = await open(`${origin}/docs/`, width)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
      assert.deepEqual(await cutElements(page, '.reference'), [])
      await page.evaluate(`for (const details of document.querySelectorAll('details'))
        details.open = details.closest('.contents, .operation:has([id="me.nation"])') !== null`)
      assert.deepEqual(await violations(page, looked), [])
      await page.close()
    })

    test(`at ${width} pixels nothing of the other pages is cut, and axe finds no barrier`, async () => {
      const built = (await openBuiltPages()).filter(
        ({ listener, contentType }) => listener === 'public' && contentType.startsWith('text/html'),
      )
      const others = built.map(({ path }) => path).filter(path => path !== '/docs/')
      assert.ok(others.length > 30)
      // Browsers get the start page by its Accept header only.
      for (const path of others) {
        const { page, complaints } = await open(origin + path, width)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, path)
        assert.deepEqual(await cutElements(page, 'body'), [], path)
        // Error pages are alike: one stands for all.
        if (!path.startsWith('/docs/errors/') || path.endsWith('/not_found'))
          assert.deepEqual(await violations(page, ['body']), [], path)
        assert.deepEqual(complaints, [], path)
        await page.close()
      }
    })
  }
})
