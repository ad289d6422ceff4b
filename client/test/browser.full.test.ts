import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sign } from '../../server/src/webhooks/message.ts'
import { makeSecret } from '../../server/src/webhooks/secrets.ts'
import { launchChromium, skip } from '../../server/test/browser/chromium.ts'
import { nation } from '../../server/test/ingest/facts.ts'
import { startTestServer } from '../../server/test/support/test-server.ts'
import { buildPackage } from '../../tools/release/build-package.ts'
import type * as client from '../src/index.ts'
import { startScriptedServer } from './support/scripted-server.ts'

test('in a browser, on a page of another origin, it reads, caches, follows and verifies', {
  skip,
}, async t => {
  const dist = await mkdtemp(join(tmpdir(), 'chancery-browser-'))
  const chancery = await startTestServer()
  const browser = await launchChromium()
  t.after(async () => {
    await browser.close()
    await chancery.close()
    await rm(dist, { recursive: true, force: true })
  })
  buildPackage('client', dist)
  await chancery.ingest([nation('n1')])
  const { key } = await chancery.makeKey({ player_id: 'p1' })
  const site = await startScriptedServer(t, async (req, res) => {
    const isScript = req.url?.endsWith('.js')
    const text = isScript
      ? await readFile(join(dist, req.url ?? ''), 'utf8')
      : '<!doctype html><title>A bot</title>'
    res.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' }).end(text)
  })

  const page = await browser.newPage()
  const calls: string[] = []
  page.on('request', request => {
    if (request.method() === 'GET' && request.url().startsWith(chancery.url))
      calls.push(new URL(request.url()).pathname)
  })
  await page.goto(site.url)
  const body = '{"type":"war.declared","timestamp":"2026-05-20T10:00:00Z","data":{"seq":7}}'
  const timestamp = Math.floor(Date.now() / 1000)
  const secret = makeSecret()
  const signature = sign({ id: 'evt_7', timestamp, body }, [secret])
  const given = { baseUrl: chancery.url, apiKey: key, body, secret, signature, timestamp: String(timestamp) }
  const seen = await page.evaluate(async ({ baseUrl, apiKey, ...message }) => {
    const path = '/index.js'
    const { Chancery, verifyWebhook }: typeof client = await import(path)
    const bot = new Chancery({ baseUrl, apiKey })
    const names: string[] = []
    for (let count = 0; count < 3; count += 1) names.push((await bot.nations.get('n1')).nation_name)
    const failed = await bot.nations.get('n2').catch(error => error)
    const types: string[] = []
    for await (const event of bot.events.follow({ after: 0 })) {
      types.push(event.type)
      break
    }
    const headers = new Headers({
      'webhook-id': 'evt_7',
      'webhook-timestamp': message.timestamp,
      'webhook-signature': message.signature,
    })
    const verified = await verifyWebhook(headers, message.body, message.secret)
    // What axios, wrappers and tracing add to a request.
    const added = {
      traceparent: '00-1',
      baggage: 'a=b',
      'x-requested-with': 'x',
      'cache-control': 'no-cache',
    }
    const authorization = `Bearer ${apiKey}`
    const wrapped = await fetch(`${baseUrl}/api/v1/game`, { headers: { ...added, authorization } })
    const readable = ['date', 'etag', 'x-ratelimit-limit'].every(name => wrapped.headers.has(name))
    return { names, code: failed.code, requestId: failed.requestId, types, verified: verified.type, readable }
  }, given)
  assert.match(seen.requestId, /^req_/)
  assert.deepEqual(
    { ...seen, requestId: undefined },
    {
      names: ['Nation n1', 'Nation n1', 'Nation n1'],
      code: 'not_found',
      requestId: undefined,
      types: ['nation.founded'],
      verified: 'war.declared',
      readable: true,
    },
  )
  const below = '/api/public/v1'
  assert.deepEqual(calls, [
    `${below}/nations/n1`,
    `${below}/nations/n2`,
    `${below}/events/stream`,
    '/api/v1/game',
  ])
})
