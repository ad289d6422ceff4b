import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { version } from '@chancery/contract'
import { parseTar } from 'nanotar'
import { openBuiltPages } from '../../src/docs/built-pages.ts'
import { renderStatus } from '../../src/docs/landing.ts'
import { useTestServer } from '../support/fixture.ts'

const chancery = useTestServer({ CHANCERY_ANONYMOUS_LIMIT: '' })

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** Requests a path, each from an address of its own, so that no limit is reached. */
async function get(path: string, headers: Record<string, string> = browser, method = 'GET') {
  const { hostname, port } = new URL(chancery.url)
  addresses += 1
  const localAddress = `127.0.1.${(addresses % 250) + 1}`
  const request = http.request({ hostname, port, path, method, headers, localAddress, agent: false })
  const [res] = (await once(request.end(), 'response')) as [IncomingMessage]
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(await res.toArray()).toString() }
}
let addresses = 0

test('browsers get the landing page at /, and other clients the 404 of the API', async () => {
  const page = await get('/')
  assert.equal(page.status, 200)
  assert.match(page.headers['content-type'] ?? '', /^text\/html/)
  assert.match(page.headers.vary ?? '', /accept,/)
  assert.match(page.body, /<h1>Meridian API<\/h1>/)
  assert.ok(page.body.includes(`curl '${chancery.url}/api/v1/nations?limit=3'`))
  assert.equal((await get('/', browser, 'HEAD')).status, 200)
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json']) {
    const { status, headers, body } = await get('/', accept === undefined ? {} : { accept })
    assert.equal(status, 404, accept)
    assert.equal(JSON.parse(body).error.code, 'not_found', accept)
    assert.equal(headers['x-ratelimit-remaining'], '59', accept)
  }
})

test('browsers get a page for an unknown path, and JSON below /api/', async () => {
  for (const path of [
    '/unknown',
    '/docs/unknown',
    '/docs/guides/unknown',
    '/docs/errors/unknown.md',
    '/unknown?<script>',
  ]) {
    const { status, headers, body } = await get(path)
    assert.equal(status, 404, path)
    assert.match(headers['content-type'] ?? '', /^text\/html/, path)
    assert.match(body, /<h1>Page not found<\/h1>/, path)
    assert.doesNotMatch(body, /unknown|<script>/, path)
    assert.equal(JSON.parse((await get(path, {})).body).error.code, 'not_found', path)
  }
  for (const path of ['/api/v1/none', '/api/v1/nations/none', '/developers/api/none'])
    assert.equal(JSON.parse((await get(path)).body).error.code, 'not_found', path)
})

/** The path and fragment of each link of a page to this service. */
function linksOf(path: string, { headers, body }: Awaited<ReturnType<typeof get>>): string[] {
  const isHtml = headers['content-type']?.startsWith('text/html')
  const pattern = isHtml ? / (?:href|src)="([^"]+)"/g : /\]\(([^)]+)\)/g
  return [...body.matchAll(pattern)].flatMap(([, href = '']) => {
    const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), chancery.url + path)
    return origin === chancery.url ? [pathname + hash] : []
  })
}

test('every link of every page leads to a page of this service, and to a heading that it has', async () => {
  const built = (await openBuiltPages()).filter(({ listener }) => listener === 'public')
  const pages = new Map<string, Awaited<ReturnType<typeof get>>>()
  const open = async (path: string) => {
    const page = pages.get(path) ?? (await get(path))
    pages.set(path, page)
    return page
  }
  const texts = /^text\/(html|markdown)/
  const wrong: string[] = []
  for (const path of ['/docs/status', '/none', ...built.map(({ path }) => path)]) {
    const page = await open(path)
    if (path !== '/none') assert.equal(page.status, 200, path)
    if (!texts.test(page.headers['content-type'] ?? '')) continue
    const links = linksOf(path, page)
    if (page.headers['content-type']?.startsWith('text/html')) assert.ok(links.length > 0, path)
    for (const link of links) {
      const [target = '', fragment] = link.split('#')
      const { status = 0, body, headers } = await open(target)
      const isHtml = headers['content-type']?.startsWith('text/html')
      const hasHeading = fragment === undefined || !isHtml || body.includes(` id="${fragment}"`)
      if (status >= 400 || !hasHeading) wrong.push(`${path}: ${link} (${status})`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(pages.size > 50)
})

test('llms.txt lists every guide and every error as Markdown, each with a sentence', async () => {
  const { headers, body } = await get('/llms.txt')
  assert.match(headers['content-type'] ?? '', /^text\/markdown/)
  const listed = [...body.matchAll(/^- \[.+\]\((\S+)\.md\): \w.*$/gm)].map(([, url]) => url)
  const guides = (await openBuiltPages()).flatMap(({ path }) =>
    path.endsWith('.md') ? [chancery.url + path.slice(0, -3)] : [],
  )
  assert.deepEqual(listed.sort(), guides.sort())
  const guide = await get('/docs/guides/your-first-bot.md')
  assert.match(guide.body, /^# Your first bot/)
  assert.ok(guide.body.includes(chancery.url))
})

test('the changelog has a feed with an entry for each released version', async () => {
  const page = await get('/docs/changelog')
  const { headers, body } = await get('/docs/changelog.atom')
  assert.match(headers['content-type'] ?? '', /^application\/atom\+xml/)
  const released = [...page.body.matchAll(/<h2 id="([^"]+)">[^<]* - \d{4}-\d{2}-\d{2}<\/h2>/g)]
  const entries = [...body.matchAll(/<link href="[^"]+#([^"]+)"\/>\n<content/g)]
  assert.ok(entries.length > 0)
  assert.deepEqual(
    entries.map(([, id]) => id),
    released.map(([, id]) => id),
  )
  const [, content = ''] = /<content type="html">([^<]*)<\/content>/.exec(body) ?? []
  assert.match(content, /^&lt;h3 /)
})

test('the status page says whether the API is available, and when the world last changed', async () => {
  const { status, headers, body } = await get('/docs/status')
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
  assert.match(body, /The API is available\./)
  const site = { title: 'A game API', publicUrl: 'https://game.example' }
  const away = renderStatus({ isAvailable: false, worldChangedAt: null }, site)
  assert.match(away, /temporarily unavailable/)
  assert.doesNotMatch(away, /last changed/)
  const changed = renderStatus({ isAvailable: true, worldChangedAt: '2026-11-23T04:05:06.789Z' }, site)
  assert.match(changed, /last changed at <time[^>]*>2026-11-23 04:05:06 UTC</)
})

test('the clients and the sender can be downloaded, and match their checksums', async () => {
  const download = async (path: string) => {
    const response = await fetch(chancery.url + path, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(response.status, 200, path)
    return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const sums = (await download('/downloads/SHA256SUMS')).bytes.toString()
  const files = [...sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)]
  assert.deepEqual(
    files.map(([, , name]) => name),
    [`chancery-client-${version}.tgz`, `chancery-game-${version}.tgz`, 'chancery.py'],
  )
  for (const [, sum, name = ''] of files) {
    const { type, bytes } = await download(`/downloads/${name}`)
    assert.equal(hash('sha256', bytes), sum, name)
    if (name.endsWith('.py')) {
      assert.match(type ?? '', /^text\/x-python/)
      assert.match(bytes.toString(), /^def verify_webhook/m)
      continue
    }
    assert.equal(type, 'application/gzip')
    const files = parseTar(gunzipSync(bytes))
    const manifest = JSON.parse(files.find(file => file.name === 'package/package.json')?.text ?? '')
    assert.equal(`${manifest.name}-${manifest.version}.tgz`.replace('@chancery/', 'chancery-'), name)
    assert.ok(files.every(file => file.name.startsWith('package/')))
  }
  assert.equal((await get('/downloads/chancery-client-0.0.0.tgz')).status, 404)
})
