import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import {
  contractFor,
  demoProfile,
  type PageInfo,
  type Profile,
  readableSchema,
  scopeNames,
} from '@chancery/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import Fastify, { type FastifyInstance } from 'fastify'
import { readLogo, registerPage } from '../../src/account/page/page.ts'
import { sampleMessage } from '../../src/account/page/page-info.ts'
import { ConfigError, readConfig } from '../../src/index.ts'
import { StartupError } from '../../src/start/startup-error.ts'
import { pluck } from '../support/pluck.ts'
import type { TestServer } from '../support/test-server.ts'
import { openBrowser, startAccounts } from './browser.ts'

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const webp = Buffer.from('RIFF0000WEBPVP8 ', 'latin1')
const script = `console.log('${'page '.repeat(500)}')`

let directory: string
let chancery: TestServer
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chancery-page-'))
  await writeFile(join(directory, 'logo.svg'), svg)
  chancery = await startAccounts([], {
    CHANCERY_PAGE_COLOR: '#AA0033',
    CHANCERY_PAGE_LOGO: join(directory, 'logo.svg'),
  })
})
after(async () => {
  await chancery.close()
  await rm(directory, { recursive: true })
})

/** Fails on an unexpected error. */
const log = { warn() {}, error: () => assert.fail('an unexpected error') } as never

/** The page's routes over files of a test. */
async function openPage(files: Record<string, string | Buffer>): Promise<FastifyInstance> {
  const built = await mkdtemp(join(directory, 'dist-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(built, name, '..'), { recursive: true })
    await writeFile(join(built, name), content)
  }
  const app = Fastify()
  registerPage(app, { directory: built, logo: undefined, basePath: '', log })
  return app
}
const files = {
  'index.html': '<!doctype html><title>Settings</title>',
  'assets/index-B1c2D3.js': script,
  'assets/index-B1c2D3.js.br': brotliCompressSync(script),
  'assets/index-B1c2D3.js.gz': gzipSync(script),
  'assets/index-B1c2D3.css': 'a{}',
  'assets/flag-X9.png': png,
  'robots.txt': 'no',
  '.sources': 'a digest',
  'notes.md': 'of the build',
}

test('the page is one document for all its client-side paths', async () => {
  const app = await openPage(files)
  for (const path of ['', '/', '/keys', '/webhooks/whe_1', '/index.html', '/a/b/c?x=1']) {
    const { statusCode, headers, body } = await app.inject(`/developers${path}`)
    assert.deepEqual([statusCode, body], [200, files['index.html']], path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.ok(headers['x-request-id'])
  }
})

test('the page runs only its own scripts, cannot be framed, and sends no referrer', async () => {
  const app = await openPage(files)
  for (const path of ['/developers', '/developers/assets/index-B1c2D3.js', '/developers/none.js']) {
    const { headers } = await app.inject(path)
    const policy = new Map(
      String(headers['content-security-policy'])
        .split('; ')
        .map(part => [part.split(' ')[0] ?? '', part.split(' ').slice(1)] as const),
    )
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'https:'],
      'connect-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    })
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  }
})

test('assets are immutable by name, and compressed for clients that accept it', async () => {
  const app = await openPage(files)
  const request = (encoding?: string, path = 'index-B1c2D3.js') =>
    app.inject({
      url: `/developers/assets/${path}`,
      headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
    })
  const forms: [string | undefined, string | undefined, (bytes: Buffer) => Buffer][] = [
    [undefined, undefined, bytes => bytes],
    ['identity', undefined, bytes => bytes],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0', 'gzip', gunzipSync],
  ]
  for (const [accepted, coding, unpack] of forms) {
    const { headers, rawPayload } = await request(accepted)
    assert.equal(headers['content-encoding'], coding, accepted)
    assert.equal(unpack(rawPayload).toString(), script)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers.vary, 'accept-encoding')
    if (coding) assert.ok(rawPayload.length < script.length / 10)
  }
  const css = await request(undefined, 'index-B1c2D3.css')
  assert.equal(css.headers['content-type'], 'text/css; charset=utf-8')
  const picture = await request('gzip, br', 'flag-X9.png')
  assert.deepEqual([picture.headers['content-encoding'], picture.rawPayload], [undefined, png])
  const other = await app.inject('/developers/robots.txt')
  assert.equal(other.headers['cache-control'], 'no-cache')
})

test('a cached file is revalidated with 304', async () => {
  const app = await openPage(files)
  const { headers } = await app.inject('/developers')
  const again = await app.inject({ url: '/developers', headers: { 'if-none-match': headers.etag } })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('only files of the page are served', async () => {
  const app = await openPage(files)
  for (const path of [
    'none.js',
    'assets/index-B1c2D3.js.br',
    '.sources',
    'notes.md',
    '..%2f..%2fpackage.json',
    'assets/none.js',
  ]) {
    const { statusCode, json } = await app.inject(`/developers/${path}`)
    assert.equal(statusCode, 404, path)
    assert.equal(json().error.code, 'not_found')
  }
})

test('a page that is not built is reported, and is served once it is built', async () => {
  const built = join(directory, 'later')
  const app = Fastify()
  registerPage(app, { directory: built, logo: undefined, basePath: '', log })
  const { statusCode, json } = await app.inject('/developers')
  assert.equal(statusCode, 503)
  assert.equal(json().error.message, 'The developer settings page is not built: run npm ci.')
  await mkdir(built)
  await writeFile(join(built, 'index.html'), 'built')
  assert.equal((await app.inject('/developers')).body, 'built')
})

test('HEAD has the headers of GET, and other methods are rejected', async () => {
  const app = await openPage(files)
  const [get, head] = [
    await app.inject('/developers'),
    await app.inject({ method: 'HEAD', url: '/developers' }),
  ]
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  const kept = (headers: object) =>
    Object.entries(headers).filter(([name]) => !/^(date|x-request-id)$/.test(name))
  assert.deepEqual(kept(head.headers), kept(get.headers))
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/developers/keys' })
    assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD'], method)
  }
  const served = await fetch(`${chancery.url}/developers`, { method: 'HEAD' })
  assert.deepEqual([served.ok || served.status === 503, await served.text()], [true, ''])
})

test('the page’s settings have the game, its colour and logo, scopes and event types', async () => {
  const page = await openBrowser(chancery).requestOk<PageInfo>('GET', '/page')
  const { scopes, event_kinds, ...rest } = page
  assert.deepEqual(rest, {
    game: { name: 'Meridian', url: null },
    color: '#aa0033',
    logo_url: '/developers/logo',
    is_demo: false,
    api_url: `${chancery.url}/api/v1`,
    docs_url: `${chancery.url}/docs`,
    default_scopes: ['nation.read'],
    has_market: true,
    webhooks_allow_local: false,
  })
  assert.deepEqual(
    pluck(scopes, 'name', 'is_private'),
    scopeNames.map(name => [name, name !== 'nation.read']),
  )
  assert.deepEqual(pluck(event_kinds, 'type'), Object.keys(contractFor(demoProfile).eventKinds))
})

const unusual: Profile = {
  ...demoProfile,
  war_types: [],
  battle_kinds: [],
  treaty_types: [],
  news_categories: [],
  event_kinds: [
    {
      type: 'game.odd',
      description: 'Members that are called like others, and are something else.',
      data: Object.fromEntries(
        (['string', 'integer', 'number', 'boolean', 'time'] as const).flatMap(type =>
          ['nation_id', 'tag', 'price', 'expires_at', 'anything'].map(name => [
            `${name}${name === 'anything' ? `_${type}` : ''}`,
            { type, description: 'x' },
          ]),
        ),
      ),
    },
  ],
}

for (const [name, profile] of Object.entries({ demo: demoProfile, unusual }))
  test(`the sample of every event type is valid in the ${name} game`, () => {
    const contract = contractFor(profile)
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    const isEvent = ajv.compile(readableSchema(contract.resources.event, 'public'))
    for (const [type, kind] of Object.entries(contract.eventKinds)) {
      const message = sampleMessage(contract, type) as {
        type: string
        timestamp: string
        data: { occurred_at: string; data: unknown; summary: string; nation_ids: string[] }
      }
      const { data: event } = message
      assert.deepEqual([message.type, message.timestamp], [type, event.occurred_at])
      assert.ok(isEvent(event), `${type} ${JSON.stringify(isEvent.errors)}`)
      const isData = ajv.compile(JSON.parse(JSON.stringify(kind.data)))
      assert.ok(isData(event.data), `${type} ${JSON.stringify(event.data)} ${JSON.stringify(isData.errors)}`)
      assert.doesNotMatch(event.summary, /undefined|null|example/, type)
    }
    const { data } = sampleMessage(contract, 'war.declared') as {
      data: { nation_ids: string[]; war_id: string }
    }
    assert.deepEqual([data.nation_ids, data.war_id], [['n42', 'n9'], 'w310'])
  })

test('the logo is an image, and runs no script when opened by itself', async () => {
  const response = await fetch(`${chancery.url}/developers/logo`)
  assert.equal(response.headers.get('content-type'), 'image/svg+xml')
  assert.equal(
    response.headers.get('content-security-policy'),
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  )
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(await response.text(), svg)
  const app = await openPage(files)
  assert.equal((await app.inject('/developers/logo')).statusCode, 404)
})

test('the type of a logo is detected from its bytes, and only images are accepted', async () => {
  const read = async (content: string | Buffer) => {
    const file = join(directory, 'tried')
    await writeFile(file, content)
    return readLogo(file)
  }
  for (const [content, type] of [
    [png, 'image/png'],
    [webp, 'image/webp'],
    [svg, 'image/svg+xml'],
    [`\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n${svg}`, 'image/svg+xml'],
    [Buffer.concat([png, Buffer.alloc(200 * 1024 - png.length)]), 'image/png'],
  ] as const)
    assert.equal((await read(content)).contentType, type)
  for (const content of [
    '',
    '<html><svg></svg></html>',
    'GIF89a',
    '<svgx>',
    Buffer.concat([png, Buffer.alloc(200 * 1024)]),
  ])
    await assert.rejects(read(content), StartupError)
  await assert.rejects(readLogo(join(directory, 'none')), /CHANCERY_PAGE_LOGO: the file .* cannot be read/)
})

test('an invalid colour is rejected by the name of its setting', () => {
  for (const color of ['red', '#abc', '#12345g', '#1234567', '2f5d8a'])
    assert.throws(() => readConfig({ CHANCERY_PAGE_COLOR: color }), ConfigError, color)
  assert.equal(readConfig({}).pageColor, '#2f5d8a')
})
