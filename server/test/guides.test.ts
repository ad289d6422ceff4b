import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contractFor, demoProfile } from '@chancery/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Guide, linkFrom, readGuides, renderGuide } from '../src/docs/guides.ts'
import { registerDocs } from '../src/docs/register-docs.ts'

const publicUrl = 'https://api.game.example'
let app: FastifyInstance
before(() => {
  app = Fastify()
  const contract = contractFor({ ...demoProfile, name: 'A <game>' })
  registerDocs(app, { contract, listener: 'public', publicUrl: () => publicUrl })
})
after(() => app.close())

const guideOf = (markdown: string): Guide => ({
  file: 'docs/guides/one.md',
  folder: 'guides',
  name: 'one',
  title: 'One',
  markdown,
})
const htmlOf = (markdown: string) => renderGuide(guideOf(markdown), { title: 'A game', publicUrl })

test('the index lists every guide, the first bot first', async () => {
  const { body } = await app.inject('/docs/guides')
  const listed = [...body.matchAll(/<li><a href="\/docs\/guides\/([^"]+)"/g)].map(([, name = '']) => name)
  const names = (await readGuides()).filter(({ folder }) => folder === 'guides').map(({ name }) => name)
  assert.deepEqual(listed.toSorted(), names.toSorted())
  assert.deepEqual([listed[0], listed.at(-1)], ['your-first-bot', 'stability'])
})

test('the landing page, the index and llms.txt introduce the name of the product', async () => {
  for (const url of ['/', '/docs/guides', '/llms.txt']) {
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    assert.match(body, /Chancery is the name of the software that serves this API\./, url)
  }
})

test('pages say where the service is, and not where a demo would be', async () => {
  for (const { folder, name } of await readGuides()) {
    const { body } = await app.inject(`/docs/${folder}/${name}`.replace(/\/$/, ''))
    assert.doesNotMatch(body.replaceAll(/<[^>]*>/g, ''), /127\.0\.0\.1:8080/, name)
  }
  const { body } = await app.inject('/docs/guides/follow-the-war-feed')
  assert.match(body, /https:\/\/api\.game\.example\/api\/v1\/events/)
})

test('a page loads nothing but the scripts and the icon of its own origin, and runs no inline script', async () => {
  const { headers, body } = await app.inject('/docs/guides')
  assert.match(
    String(headers['content-security-policy']),
    /default-src 'none'.*script-src 'self'.*style-src 'sha256-/,
  )
  assert.doesNotMatch(body, /<script(?! src="\/docs\/)|<img|<iframe/)
  assert.match(body, /<title>Guides · A &lt;game&gt; API<\/title>/)
})

test('what there is no page of is 404', async () => {
  for (const url of ['/docs/guides/none', '/docs/guides/..%2FREADME', '/docs/errors/none'])
    assert.equal((await app.inject(url)).statusCode, 404, url)
})

test('links into the repository are words, others stay', () => {
  const guide = guideOf('')
  assert.equal(linkFrom(guide, '../../contract/openapi.json'), undefined)
  assert.equal(linkFrom(guide, '../operations/webhooks.md'), undefined)
  assert.equal(linkFrom(guide, '../errors/README.md'), '/docs/errors')
  assert.equal(
    linkFrom(guide, '../errors/rate_limited.md#what-to-do'),
    '/docs/errors/rate_limited#what-to-do',
  )
  assert.equal(linkFrom(guide, 'verify-a-nation.md'), '/docs/guides/verify-a-nation')
  assert.equal(linkFrom(guide, '#poll'), '#poll')
  assert.equal(linkFrom(guide, '../../client/README.md#errors'), '/docs/guides/javascript-client#errors')
  const python = { file: 'examples/python/README.md' }
  assert.equal(linkFrom(python, 'chancery.py'), '/downloads/chancery.py')
  assert.equal(linkFrom(python, '../../docs/errors/README.md'), '/docs/errors')
  assert.doesNotMatch(htmlOf('[the code](../../server/src/api.ts)'), /<a href="\.\./)
  assert.match(htmlOf('[the code](../../server/src/api.ts)'), /the code/)
})

test('HTML in Markdown is text, and a picture its words', () => {
  const html = htmlOf(
    '<script>alert(1)</script> <!-- not --><b>shown</b>\n\n![a flag](https://flags.example/1.png)',
  )
  assert.doesNotMatch(html.slice(html.indexOf('<main>')), /<(script|b|img)/)
  assert.match(html, /a flag/)
})

test('headings can be linked to, also with code and dots in them', () => {
  assert.match(
    htmlOf('## What `seq` is, v1.0'),
    /<h2 id="what-seq-is-v10">What <code>seq<\/code> is, v1\.0<\/h2>/,
  )
})

test('headings have the ids that GitHub gives them: unique on a page, with underscores, without markup', () => {
  const html = htmlOf('## `war_declared`\n\n## Fields\n\n## [Fields](#fields)')
  assert.deepEqual(
    [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id),
    ['war_declared', 'fields', 'fields-1'],
  )
})

test('code is highlighted, and its text stays what it is', () => {
  const code = `const text = '<b>' // "&"`
  const html = htmlOf(`\`\`\`js\n${code}\n\`\`\`\n\n\`\`\`\n<i>\n\`\`\``)
  const [first = '', second = ''] = [...html.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(
    ([, text]) => text ?? '',
  )
  assert.match(first, /<span class="token keyword">const<\/span>/)
  const text = first
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  assert.equal(text.replaceAll('&quot;', '"'), `${code}\n`)
  assert.equal(second, '&lt;i&gt;\n')
})
