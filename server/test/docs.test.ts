import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile, openApiFor } from '@chancery/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Browser, chromium, type Page } from 'playwright-core'
import { registerDocs } from '../src/http/docs.ts'

const chromiumPath = '/usr/bin/chromium'
const needsChromium = existsSync(chromiumPath) ? {} : { skip: `${chromiumPath} is not installed` }
const stubbedAnswer = 'An answer of the stub'

let app: FastifyInstance
let origin: string

before(async () => {
  app = Fastify()
  const document = openApiFor(contractFor(demoProfile))
  registerDocs(app, { document: () => document, title: 'Meridian API' })
  app.get('/api/v1/game', async () => ({ data: { name: stubbedAnswer } }))
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => app.close())

test('the document has an ETag and is not sent again to whoever has it', async () => {
  const first = await app.inject('/openapi.json')
  assert.equal(first.statusCode, 200)
  assert.equal(first.json().openapi, '3.1.0')
  const { etag } = first.headers
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('the page may load and call nothing but its own origin', async () => {
  const { headers, body } = await app.inject('/docs/')
  const policy = String(headers['content-security-policy'])
  const sources = policy.split('; ').flatMap(directive => directive.split(' ').slice(1))
  assert.match(policy, /default-src 'none'/)
  assert.deepEqual(
    sources.filter(source => !/^'(self|none|unsafe-inline|sha256-[^']+)'$|^data:$/.test(source)),
    [],
  )
  assert.doesNotMatch(policy, /script-src[^;]*(unsafe|data:)/)
  assert.deepEqual(
    [...body.matchAll(/(?:src|href)="(https?:[^"]*)"/g)].map(([, url]) => url),
    [],
  )
})

test('the script of the page is packed, and sent once', async () => {
  const url = '/docs/js/scalar.js'
  const first = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  assert.equal(first.headers['content-encoding'], 'gzip')
  assert.ok(first.rawPayload.byteLength < 2_000_000)
  const again = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  const plain = await app.inject(url)
  assert.equal(plain.headers['content-encoding'], undefined)
})

test('a reader calls this server from the page, and the page calls nobody else', needsChromium, async () => {
  const browser = await launch()
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    const seen = watch(page)
    await page.goto(`${origin}/docs`)
    await page.getByRole('heading', { name: 'Meridian API' }).waitFor()
    await page.getByRole('link', { name: /Read the game and its words/ }).click()
    await page.getByRole('button', { name: /Test Request.*get \/game\)/s }).click()
    await page.getByRole('button', { name: 'Send get request to' }).click()
    await page.getByText(stubbedAnswer).first().waitFor()
    await page.waitForLoadState('networkidle')

    assert.ok(seen.urls.includes(`${origin}/api/v1/game`), seen.urls.join('\n'))
    assert.deepEqual(
      seen.urls.filter(url => !url.startsWith(`${origin}/`) && !url.startsWith('data:')),
      [],
    )
    assert.deepEqual(seen.complaints, [])
  } finally {
    await browser.close()
  }
})

test('the page offers no way to send a request or a question elsewhere', needsChromium, async () => {
  const browser = await launch()
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    await page.goto(`${origin}/docs`)
    await page.getByRole('heading', { name: 'Meridian API' }).waitFor()
    const labels = await page.locator('a, button').allInnerTexts()
    assert.deepEqual(
      labels.filter(label => /ask ai|agent|open.*client|mcp|cursor|share|deploy/i.test(label)),
      [],
    )
  } finally {
    await browser.close()
  }
})

function launch(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--no-first-run']
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-sync', ...quiet] })
}

/** Everything that the page asks for, and everything that the browser complains about. */
function watch(page: Page) {
  const urls: string[] = []
  const complaints: string[] = []
  page.on('request', request => urls.push(request.url()))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  return { urls, complaints }
}
