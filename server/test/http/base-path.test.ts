import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import { openBuiltPages } from '../../src/docs/built-pages.ts'
import { basePathOf, isBasePath, ownNames, withBasePath, withoutBasePath } from '../../src/http/base-path.ts'
import { freePort } from '../../src/store/embedded/socket.ts'
import { handover, openBrowser } from '../account/browser.ts'
import { takeSnapshot } from '../snapshots/take-snapshot.ts'
import { useFixture } from '../support/fixture.ts'
import { startTestServer } from '../support/test-server.ts'
import { everyOperation, smallWorld } from './world.ts'

const basePath = '/eu1'
const logos = await mkdtemp(join(tmpdir(), 'chancery-logo-'))
after(() => rm(logos, { recursive: true }))

const chancery = useFixture(async () => {
  const port = await freePort()
  const logo = join(logos, 'logo.svg')
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return startTestServer(
    {
      CHANCERY_PORT: String(port),
      CHANCERY_PUBLIC_URL: `http://127.0.0.1:${port}${basePath}`,
      CHANCERY_PAGE_LOGO: logo,
      CHANCERY_SECURITY_CONTACT: 'mailto:security@game.example',
    },
    { facts: smallWorld() },
  )
})

const browser = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'identity' }

interface Page {
  status: number
  headers: Headers
  type: string
  body: string
}

async function open(url: string, headers: Record<string, string> = browser): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', headers })
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, headers: response.headers, type, body: await response.text() }
}

const origin = () => new URL(chancery.url).origin

/** Every place of a response that a program or a browser follows: attributes, Markdown links, URLs of styles, JSON texts and headers. */
function referencesIn({ headers, type, body }: Page): string[] {
  const patterns = type.startsWith('text/html')
    ? [/ (?:href|src|action|data-path|content)="(\/[^"]*)"/g]
    : type.startsWith('text/css')
      ? [/url\(["']?(\/[^)"']*)/g]
      : type.startsWith('text/markdown')
        ? [/\]\((\/[^)\s]*)/g]
        : type.includes('json')
          ? // Texts that name a path of ours, except in prose, and links in Markdown.
            [RegExp(`"(/(?:${ownNames.join('|')})\\b[^"]*)"`, 'g'), /\]\((\/[^)\s]*)/g]
          : []
  const named = ['location', 'link', 'content-location', 'refresh'].flatMap(name => headers.get(name) ?? [])
  const absolute = [...body.matchAll(RegExp(`${origin()}([^\\s"'<>)\`]*)`, 'g'))].map(([, path = '']) => path)
  return [
    ...patterns.flatMap(pattern => [...body.matchAll(pattern)].map(([, path = '']) => path)),
    ...absolute,
    ...named.map(value => value.replace(origin(), '')),
  ]
}

/** Scripts build URLs from their own address. */
const rootedInScript = RegExp(`["'\`](?:/(?:${ownNames.join('|')})\\b[^"'\`]*|/openapi\\.json)["'\`$]`)

const isBelow = (path: string) => path === basePath || path.startsWith(`${basePath}/`)

test('everything that a response refers to is below the base path, on every page', async () => {
  await takeSnapshot(chancery.databaseUrl, contractFor(demoProfile))
  const built = (await openBuiltPages()).filter(({ listener }) => listener === 'public')
  const others = [
    '/',
    '/docs',
    '/docs/status',
    '/none',
    '/developers',
    '/.well-known/security.txt',
    '/readyz',
  ]
  const waiting = [...built.map(({ path }) => path), ...others].map(path => basePath + path)
  const opened = new Set<string>()
  const wrong: string[] = []
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const [file = ''] = path.split(/[#?]/)
    if (opened.has(file)) continue
    opened.add(file)
    const page = await open(origin() + file)
    if (page.status >= 400 && file !== `${basePath}/none`) wrong.push(`${file}: ${page.status}`)
    if (page.type.includes('javascript')) {
      const [found] = rootedInScript.exec(page.body) ?? []
      if (found !== undefined) wrong.push(`${file}: ${found}`)
      // The settings load their parts from beside themselves.
      const parts = page.body.match(/\.\/[\w-]+\.(js|css)\b/g) ?? []
      waiting.push(...parts.map(part => new URL(part, origin() + file).pathname))
      continue
    }
    for (const reference of referencesIn(page)) {
      if (!isBelow(reference)) wrong.push(`${file}: ${reference}`)
      else if (!reference.includes('{') && !/\/api\/v1|\/api\/public/.test(reference)) waiting.push(reference)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(opened.size > 100, `${opened.size} pages`)
  for (const part of ['/developers/assets/', '/downloads/', '/docs/errors/'])
    assert.ok(
      [...opened].some(path => path.startsWith(basePath + part)),
      part,
    )
})

test('every operation is below the base path, and its responses refer to nothing outside it', async () => {
  const document = JSON.parse((await open(`${chancery.url}/openapi.json`)).body)
  assert.deepEqual(
    document.servers.map(({ url }: { url: string }) => url),
    [`${chancery.url}/api/v1`, `${chancery.url}/api/public/v1`],
  )
  const { key } = await chancery.makeKey({ nation_id: 'n1' })
  for (const { url } of document.servers)
    for (const { operation, path } of everyOperation) {
      const { id, cache } = operation
      if (cache === 'stream') continue
      for (const authorization of ['', `Bearer ${key}`]) {
        const response = await open(url + path, authorization === '' ? {} : { authorization })
        assert.ok(response.status < 500, id)
        assert.deepEqual(
          referencesIn(response).filter(reference => !isBelow(reference)),
          [],
          id,
        )
      }
    }
})

test('the settings page and its API are below the base path', async () => {
  const info = JSON.parse((await open(`${chancery.url}/developers/api/page`)).body)
  assert.equal(info.api_url, `${chancery.url}/api/v1`)
  assert.equal(info.docs_url, `${chancery.url}/docs`)
  assert.equal((await open(origin() + info.logo_url)).status, 200)
  assert.match(info.logo_url, /^\/eu1\//)
  const response = await chancery.operate('POST', '/handovers', { nation_id: 'n1' })
  assert.match(((await response.json()) as { url: string }).url, RegExp(`^${chancery.url}/developers/#`))
})

test('the session cookie is for the base path alone, and has it in its name', async () => {
  const { port } = new URL(chancery.url)
  const token = await handover(chancery, { nation_id: 'n1' })
  const visitor = openBrowser({ url: origin() }, { url: chancery.url })
  const { headers } = await visitor.request('POST', '/session', { body: { token } })
  const [cookie = ''] = headers.getSetCookie()
  assert.match(
    cookie,
    RegExp(`^chancery_session_${port}\\.eu1=[\\w-]{43}; Max-Age=43200; Path=/eu1/; HttpOnly; SameSite=Lax$`),
  )
  await visitor.requestOk('GET', '/session')
})

test('a proxy may remove the base path, and health checks need none', async () => {
  for (const path of ['/readyz', '/api/v1/game', '/docs/', '/developers', '/'])
    assert.equal((await open(origin() + path)).body, (await open(chancery.url + path)).body, path)
  for (const path of ['/eu12/readyz', '/eu1/eu1/readyz', '/EU1/readyz', '/eu2/api/v1/game'])
    assert.equal((await open(origin() + path)).status, 404, path)
})

test('a base path is removed from a target once, and only as a whole', () => {
  for (const [target, expected] of [
    ['/eu1', '/'],
    ['/eu1/', '/'],
    ['/eu1?a=/eu1', '/?a=/eu1'],
    ['/eu1/eu1/docs', '/eu1/docs'],
    ['/eu12/docs', '/eu12/docs'],
    ['/docs/eu1', '/docs/eu1'],
    ['http://api.game.example/eu1/docs?a=b', 'http://api.game.example/docs?a=b'],
    ['http://api.game.example/eu1', 'http://api.game.example/'],
    ['http://api.game.example/docs', 'http://api.game.example/docs'],
    ['*', '*'],
  ] as const)
    assert.equal(withoutBasePath('/eu1', target), expected)
})

test('links get the base path once, and text that looks like a link does not', () => {
  const html =
    '<a class="x" href="/docs">href="/docs"</a><img src="/eu1/x"><a href="#a"></a><a href="https://a/b">'
  assert.equal(
    withBasePath('/eu1', html),
    '<a class="x" href="/eu1/docs">href="/docs"</a><img src="/eu1/x"><a href="#a"></a><a href="https://a/b">',
  )
  assert.equal(withBasePath('', html), html)
  assert.equal(basePathOf('https://api.game.example:8443'), '')
  assert.equal(basePathOf('https://api.game.example/worlds/eu1'), '/worlds/eu1')
})

test('no name of our own paths may be in a base path', async () => {
  assert.ok(isBasePath('/eu1') && isBasePath('/worlds/eu-1_x') && isBasePath('/apis'))
  const paths = (await openBuiltPages()).map(({ path }) => path)
  const names = new Set(
    [...paths, '/developers', '/api/v1', '/readyz', '/healthz'].map(path => path.split('/')[1] ?? ''),
  )
  names.delete('')
  for (const name of names) {
    assert.ok(!isBasePath(`/${name}`), name)
    assert.ok(!isBasePath(`/eu1/${name}`), name)
  }
  for (const path of [
    '',
    '/',
    '/eu1/',
    '//eu1',
    '/eu1//x',
    '/%65u1',
    '/e u',
    '/..',
    '/a/b/c/d/e',
    `/${'a'.repeat(65)}`,
  ])
    assert.ok(!isBasePath(path), path)
})
