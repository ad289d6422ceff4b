import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
import type { FastifyInstance } from 'fastify'
import { streamReaders } from '../src/docs/reference-code.ts'
import { startDocs } from './support/docs-server.ts'

const every: Operation[] = Object.values(operations)

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

test('the reference shows nations first and webhooks last, with fields, classes, errors and three languages', async () => {
  const { body } = await app.inject('/docs/')
  const ids = [...body.matchAll(/<h3 id="([a-z_]+\.[a-z_]+)">/g)].map(([, id]) => id)
  assert.deepEqual([ids[0], ids.at(-3), ids.at(-1)], ['nations.list', 'eras.list', 'webhooks.test'])
  const section = body.slice(body.indexOf('<h3 id="me.nation">'), body.indexOf('<h3 id="me.key">'))
  assert.match(section, /scope nation\.read/)
  assert.match(section, /<code>military<\/code> <small>[^<]*player private/)
  assert.match(section, /href="\/docs\/errors\/insufficient_scope"/)
  const code = section.replaceAll(/<\/?span[^>]*>/g, '')
  assert.match(code, /Authorization: Bearer \$API_KEY/)
  assert.match(code, /await client\.me\.nation\(/)
  assert.match(code, /client\.get\(("|&quot;)\/me\/nation\1\)/)
})

test('the reference shows how each client reads each stream', () => {
  assert.deepEqual(
    Object.keys(streamReaders).sort(),
    every.flatMap(({ id, cache }) => (cache === 'stream' ? [id] : [])).sort(),
  )
})

test('the reference lists the types of events, and the data of each', async () => {
  const { body } = await app.inject('/docs/')
  const objectOf = (name: string) =>
    new RegExp(`<details class="object" id="object-${name}">.*?</details>`, 's').exec(body)?.[0] ?? ''
  for (const shown of ['<code>summary</code>', '<code>war.declared</code> or', 'any other string'])
    assert.ok(objectOf('Event').includes(shown), shown)
  assert.match(objectOf('Event'), /href="#object-EventDataWarDeclared"/)
  const declared = objectOf('EventWarDeclared')
  assert.match(declared, /The fields of <a href="#object-EventCommon">EventCommon<\/a>, and:/)
  assert.match(declared, /<code>data<\/code> <small><a href="#object-EventDataWarDeclared">/)
  assert.doesNotMatch(declared, /<code>summary<\/code>/)
})

test('the reference shows what a webhook endpoint receives, and cannot send it', async () => {
  const { body } = await app.inject('/docs/')
  const section = /<h3 id="webhooks\.event">.*?<\/section>/s.exec(body)?.[0] ?? ''
  for (const shown of ['webhook-signature', 'Fields of WebhookMessage', '<code>410</code>', 'any other'])
    assert.ok(section.includes(shown), shown)
  assert.doesNotMatch(section, /Try it|Example request/)
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
