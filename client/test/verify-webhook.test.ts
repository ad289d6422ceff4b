import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { sign } from '../../server/src/webhooks/message.ts'
import { makeSecret } from '../../server/src/webhooks/secrets.ts'
import { verifyWebhook, WebhookError } from '../src/index.ts'

const at = 1_614_265_330
const now = () => at * 1000

interface Signed {
  id: string
  timestamp: string
  signature: string
}
const headersOf = ({ id, timestamp, signature }: Signed) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
})

const body = '{"type":"war.declared","timestamp":"2026-05-20T10:00:00Z","data":{"seq":7}}'
const secret = makeSecret()
const signedAt = (timestamp: number, secrets = [secret], text = body) =>
  headersOf({
    id: 'evt_7',
    timestamp: String(timestamp),
    signature: sign({ id: 'evt_7', timestamp, body: text }, secrets),
  })
const good = signedAt(at)

const refusal = (code: string) => (error: unknown) => error instanceof WebhookError && error.code === code

test('the vector of the Standard Webhooks specification is accepted, and rejected after any change', async () => {
  const vector = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const text = '{"test": 2432232314}'
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  // Its signature is valid, but its body is not a message of Chancery.
  for (const whole of [key, key.slice(6)])
    await assert.rejects(verifyWebhook(vector, text, whole, { now }), refusal('invalid_body'))
  await assert.rejects(verifyWebhook(vector, `${text} `, key, { now }), refusal('no_matching_signature'))
  for (const [name, value] of Object.entries(vector)) {
    const changed = name === 'webhook-timestamp' ? '1614265331' : `${value.slice(0, -2)}x=`
    await assert.rejects(
      verifyWebhook({ ...vector, [name]: changed }, text, key, { now }),
      refusal('no_matching_signature'),
    )
  }
})

test('a message is accepted in any form of headers and body', async () => {
  const bytes = new TextEncoder().encode(body)
  const shouted = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]))
  for (const headers of [good, shouted, new Headers(good), { ...good, cookie: ['a', 'b'], get: 'x' }])
    for (const raw of [body, bytes, bytes.buffer, Buffer.from(`..${body}`).subarray(2)])
      assert.deepEqual(await verifyWebhook(headers, raw, secret, { now }), JSON.parse(body))
})

test('one of several secrets, and one of several signatures, is enough', async () => {
  const others = [makeSecret(), makeSecret()]
  for (const secrets of [
    [secret, ...others],
    [...others, secret],
  ]) {
    assert.ok(await verifyWebhook(good, body, secrets, { now }))
    assert.ok(await verifyWebhook(signedAt(at, secrets), body, secret, { now }))
  }
  await assert.rejects(verifyWebhook(good, body, others, { now }), refusal('no_matching_signature'))
  await assert.rejects(verifyWebhook(good, body, [], { now }), TypeError)
})

test('a message more than five minutes off is rejected, and the tolerance can be set', async () => {
  for (const seconds of [-300, 0, 300])
    assert.ok(await verifyWebhook(signedAt(at + seconds), body, secret, { now }))
  for (const seconds of [-301, 301])
    await assert.rejects(
      verifyWebhook(signedAt(at + seconds), body, secret, { now }),
      refusal('outside_tolerance'),
    )
  await assert.rejects(
    verifyWebhook(signedAt(at - 11), body, secret, { now, toleranceSeconds: 10 }),
    refusal('outside_tolerance'),
  )
  await assert.rejects(
    verifyWebhook(good, body, secret, { now, toleranceSeconds: Number.NaN }),
    refusal('outside_tolerance'),
  )
  await assert.rejects(verifyWebhook(good, body, secret), refusal('outside_tolerance'))
})

test('a timestamp that is not a whole number is rejected, even if it is signed', async () => {
  for (const timestamp of [
    `${at}abc`,
    ` ${at}`,
    `+${at}`,
    `0${at}`,
    `${at}.0`,
    `1e9`,
    '-1',
    '0x60',
    'soon',
  ]) {
    const signature = new Webhook(secret).sign(
      'evt_7',
      new Date(Number.parseInt(timestamp, 10) * 1000 || 0),
      body,
    )
    await assert.rejects(
      verifyWebhook(headersOf({ id: 'evt_7', timestamp, signature }), body, secret, { now }),
      refusal('invalid_timestamp'),
      timestamp,
    )
  }
})

test('a message without one of its headers is rejected', async () => {
  for (const name of Object.keys(good)) {
    for (const value of [undefined, '', ['a', 'b']])
      await assert.rejects(
        verifyWebhook({ ...good, [name]: value }, body, secret, { now }),
        refusal('missing_header'),
      )
    const headers = new Headers(good)
    headers.delete(name)
    await assert.rejects(verifyWebhook(headers, body, secret, { now }), refusal('missing_header'))
  }
})

test('signatures of other versions and forms are ignored', async () => {
  const [, bare = ''] = good['webhook-signature'].split(',')
  for (const signature of [
    bare,
    `v2,${bare}`,
    `v1a,${bare}`,
    'v1,',
    `v1,${bare.slice(0, -1)}`,
    `v1,${bare}=`,
    `v1, ${bare}`,
  ])
    await assert.rejects(
      verifyWebhook({ ...good, 'webhook-signature': signature }, body, secret, { now }),
      refusal('no_matching_signature'),
      signature,
    )
})

test('a malformed secret is a TypeError', async () => {
  for (const wrong of ['', 'whsec_', 'not base64!', `${secret}=`, 'whsec_abc'])
    await assert.rejects(verifyWebhook(good, body, wrong, { now }), TypeError, wrong)
})

test('a signed body that is not a message is rejected', async () => {
  for (const text of ['', 'null', '7', '[]', '{"type":"war.declared"}', '{"data":{}}', '{'])
    await assert.rejects(
      verifyWebhook(signedAt(at, [secret], text), text, secret, { now }),
      refusal('invalid_body'),
      text,
    )
})

test('results equal those of the standardwebhooks package for random messages', async () => {
  const time = Math.floor(Date.now() / 1000)
  const accepts = async (headers: Record<string, string>, text: string) =>
    verifyWebhook(headers, text, secret, { now: () => time * 1000 }).then(
      () => true,
      () => false,
    )
  const packageAccepts = (headers: Record<string, string>, text: string) => {
    try {
      new Webhook(secret).verify(text, headers)
      return true
    } catch {
      return false
    }
  }
  const seen = { both: 0, neither: 0 }
  const text = fc
    .string({ unit: 'binary' })
    .map(value => JSON.stringify({ type: 'x', data: { value: value.toWellFormed() } }))
  const change = fc.constantFrom('nothing', 'id', 'timestamp', 'body', 'signature', 'secret', 'more')
  await fc.assert(
    fc.asyncProperty(
      fc.stringMatching(/^[\w.-]{1,30}$/),
      text,
      fc.integer({ min: -200, max: 200 }),
      change,
      async (id, message, offset, what) => {
        const signer = new Webhook(what === 'secret' ? makeSecret() : secret)
        const headers = {
          'webhook-id': what === 'id' ? `${id}x` : id,
          'webhook-timestamp': String(time + offset + (what === 'timestamp' ? 1 : 0)),
          'webhook-signature': signer.sign(id, new Date((time + offset) * 1000), message),
        }
        if (what === 'signature') headers['webhook-signature'] += 'A'
        if (what === 'more') headers['webhook-signature'] = `v2,x ${headers['webhook-signature']} v1,y`
        const sent = what === 'body' ? `${message} ` : message
        const expected = packageAccepts(headers, sent)
        assert.equal(await accepts(headers, sent), expected)
        seen[expected ? 'both' : 'neither'] += 1
      },
    ),
    { numRuns: 400 },
  )
  assert.ok(seen.both > 50 && seen.neither > 100, JSON.stringify(seen))
})
