import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import {
  contractFor,
  demoProfile,
  type OpenApiDocument,
  type Operation,
  openApiFor,
  operations,
  operatorOperations,
} from '@chancery/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { registerDocs } from '../src/docs/register-docs.ts'
import { launchChromium, skip } from './browser/chromium.ts'

const stubName = 'A name of the stub'
const every: Operation[] = Object.values(operations)
const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The documentation of one listener beside a stub of its API. */
async function startDocs(listener: 'public' | 'operator', profile = demoProfile) {
  const app = Fastify()
  let origin = ''
  registerDocs(app, { contract: contractFor(profile), listener, publicUrl: () => origin })
  app.get('/api/v1/nations/:id', async ({ params, query, headers }) => ({
    data: { name: stubName, params, query, key: headers.authorization },
  }))
  app.post('/facts', async ({ body, headers }) => ({ body, id: headers['idempotency-key'] }))
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, origin }
}

let app: FastifyInstance
let origin: string
before(async () => {
  ;({ app, origin } = await startDocs('public'))
})
after(() => app.close())

test('the document has an ETag and is not sent again to a client that has it', async () => {
  const first = await app.inject('/openapi.json')
  assert.equal(first.statusCode, 200)
  assert.equal(first.json().openapi, '3.1.0')
  const { etag } = first.headers
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('the document is that of this service, compressed or not', async () => {
  const expected = openApiFor(contractFor(demoProfile), { serverUrl: origin })
  const forms: [string, string | undefined, (bytes: Buffer) => Buffer][] = [
    ['identity', undefined, bytes => bytes],
    ['gzip, br;q=0.5', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
  ]
  for (const [accepted, coding, decompress] of forms) {
    const headers = { 'accept-encoding': accepted }
    const { rawPayload, headers: received } = await app.inject({ url: '/openapi.json', headers })
    assert.equal(received['content-encoding'], coding)
    assert.deepEqual(JSON.parse(decompress(rawPayload).toString()), JSON.parse(JSON.stringify(expected)))
  }
})

test('another game has a document and a reference of its own', async t => {
  const other = await startDocs('public', { ...demoProfile, name: 'Other & game' })
  t.after(() => other.app.close())
  const document: OpenApiDocument = (await other.app.inject('/openapi.json')).json()
  assert.equal(document.info.title, 'Other & game API')
  const { body } = await other.app.inject('/docs/')
  assert.match(body, /<h1[^>]*>Other &amp; game API<\/h1>/)
  assert.doesNotMatch(body, /Meridian/)
})

test('a description of a profile is text on the reference', async t => {
  const hostile =
    '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://elsewhere.example/y.png)'
  const [attribute] = demoProfile.attributes.nation
  assert.ok(attribute)
  const nation = [{ ...attribute, description: hostile }]
  const profile = { ...demoProfile, attributes: { ...demoProfile.attributes, nation } }
  const other = await startDocs('public', profile)
  t.after(() => other.app.close())
  const { body } = await other.app.inject('/docs/')
  assert.match(body, /&lt;img src=x/)
  assert.doesNotMatch(body, /<img|href="javascript:/)
})

for (const [listener, ids] of [
  ['public', every.map(({ id }) => id)],
  ['operator', Object.values(operatorOperations).map(({ id }) => id)],
] as const)
  test(`the ${listener} reference shows every operation without a script, each with a link of its own`, async t => {
    const docs = await startDocs(listener)
    t.after(() => docs.app.close())
    const { body } = await docs.app.inject('/docs/')
    for (const id of ids) {
      assert.ok(body.includes(`<h3 id="${id}">`), id)
      assert.ok(body.includes(`<a href="#${id}">`), id)
    }
    const anchors = new Set([...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    const links = [...body.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(
      links.filter(link => !anchors.has(link)),
      [],
    )
    const all = [...body.matchAll(/ id="([^"]*)"/g)]
    assert.equal(anchors.size, all.length, 'no id is there twice')
  })

test('the reference shows nations first and eras last, with fields, classes, errors and three languages', async () => {
  const { body } = await app.inject('/docs/')
  const ids = [...body.matchAll(/<h3 id="([a-z_]+\.[a-z_]+)">/g)].map(([, id]) => id)
  assert.deepEqual([ids[0], ids.at(-1)], ['nations.list', 'eras.list'])
  const section = body.slice(body.indexOf('<h3 id="me.nation">'), body.indexOf('<h3 id="me.key">'))
  assert.match(section, /scope nation\.read/)
  assert.match(section, /<code>military<\/code> <small>[^<]*player private/)
  assert.match(section, /href="\/docs\/errors\/insufficient_scope"/)
  assert.match(section, /Authorization: Bearer \$API_KEY/)
  assert.match(section, /await client\.me\.nation\(/)
  assert.match(section, /client\.get\(&quot;\/me\/nation&quot;\)/)
})

test('the page may load and call nothing but its own origin, and runs no inline script', async () => {
  const { headers, body } = await app.inject('/docs/')
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  assert.doesNotMatch(body, /<script(?! src="\/docs\/(?:reference|copy)\.js" defer>)| style="| on[a-z]+="/)
  const addresses = [...body.matchAll(/ (?:src|href)="(https?:[^"]*)"/g)].map(([, url]) => url)
  assert.deepEqual(addresses, [])
})

test('the reference weighs less than 100 kB compressed', async t => {
  let bytes = 0
  for (const url of ['/docs/', '/docs/reference.js'])
    bytes += (await app.inject({ url, headers: { 'accept-encoding': 'br' } })).rawPayload.length
  t.diagnostic(`${bytes} bytes`)
  assert.ok(bytes < 100_000)
})

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
    assert.equal(await page.locator('.contents li[data-words]:visible').count(), 2)
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

  for (const width of [390, 1280])
    test(`at ${width} pixels nothing is cut, and axe finds no barrier in light and dark`, async () => {
      const { page } = await open(`${origin}/docs/`, width)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
      const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.reference *')]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .filter(element => getComputedStyle(element).display !== 'inline' && !element.matches('.wide'))
        .map(({ outerHTML }) => outerHTML.slice(0, 200))`)
      assert.deepEqual(cut, [])
      await page.evaluate(`for (const details of document.querySelectorAll('details'))
        details.open = details.closest('.contents, .operation:has([id="me.nation"])') !== null`)
      await page.evaluate(axeSource)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const violations = await page.evaluate<
          string[]
        >(`axe.run({ include: ${JSON.stringify(looked)} }, { resultTypes: ['violations'] })
          .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`)
        assert.deepEqual(violations, [], colorScheme)
      }
      await page.close()
    })
})
