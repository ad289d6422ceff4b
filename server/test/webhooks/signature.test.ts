import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { sign } from '../../src/webhooks/message.ts'
import { makeSecret } from '../../src/webhooks/secrets.ts'
import { isSignedBy } from './verified.ts'

const wellFormed = fc.string({ unit: 'binary' }).map(text => text.toWellFormed())

test('signatures are accepted by the standardwebhooks package and match the specification', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^evt_\d{1,12}$/), wellFormed, (id, text) => {
      const secret = makeSecret()
      const body = JSON.stringify({ text })
      const timestamp = Math.floor(Date.now() / 1000)
      const signature = sign({ id, timestamp, body }, [secret])
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      }
      assert.ok(isSignedBy(secret, { headers, body }))
      assert.deepEqual(new Webhook(secret).verify(body, headers), { text })
      assert.equal(new Webhook(secret).sign(id, new Date(timestamp * 1000), body), signature)
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
      assert.throws(() => new Webhook(makeSecret()).verify(body, headers))
    }),
  )
})

test('while a secret is being replaced, either of the two verifies', () => {
  const [older, newer] = [makeSecret(), makeSecret()]
  const timestamp = Math.floor(Date.now() / 1000)
  const body = '{"type":"war.declared"}'
  const signature = sign({ id: 'evt_1', timestamp, body }, [newer, older])
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  }
  for (const secret of [older, newer]) assert.ok(new Webhook(secret).verify(body, headers))
  assert.equal(signature.split(' ').length, 2)
})

test('secrets are 32 random bytes with a prefix that scanners find', () => {
  const secrets = Array.from({ length: 100 }, makeSecret)
  assert.equal(new Set(secrets).size, 100)
  for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
})
