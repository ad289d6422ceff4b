import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { runPython, withPython } from './python.ts'

/** The input of a receiver. The body is base64: it may be binary. */
interface Delivery {
  headers: Record<string, string>
  body: string
  secrets: string | string[]
  now?: number
}

/** Verifies each in Python: the parsed body, or the name of the error. */
const verifyInPython = (deliveries: Delivery[]) =>
  runPython(
    `
import base64
for line in sys.stdin:
    delivery = json.loads(line)
    try:
        report(verify_webhook(delivery["headers"], base64.b64decode(delivery["body"]), delivery["secrets"], now=delivery.get("now")))
    except (WebhookError, ValueError) as error:
        report(type(error).__name__)`,
    { input: deliveries.map(delivery => `${JSON.stringify(delivery)}\n`).join('') },
  )

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const secret = `whsec_${base64('the secret of these tests')}`
const otherSecret = `whsec_${base64('another secret')}`
const now = Math.floor(Date.now() / 1000)

function signed({
  body = '{"type":"war.declared","data":{"seq":1}}',
  id = 'evt_1',
  timestamp = now,
  by = [secret],
}: {
  body?: string
  id?: string
  timestamp?: number
  by?: string[]
} = {}) {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': by.map(one => new Webhook(one).sign(id, new Date(timestamp * 1000), body)).join(' '),
  }
  return { headers, body: base64(body), secrets: secret as string | string[], now }
}

/** Whether the package accepts it; it uses the system clock, so timestamps are current. */
function packageAccepts({ headers, body, secrets }: Delivery): boolean {
  return [secrets].flat().some(one => {
    try {
      new Webhook(one).verify(Buffer.from(body, 'base64').toString(), headers)
      return true
    } catch {
      return false
    }
  })
}

const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const anySecret = fc.uint8Array({ minLength: 1, maxLength: 64 }).map(bytes => `whsec_${base64(bytes)}`)
const anyMessage = fc.record({
  id: fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  body: fc.dictionary(anyText, fc.jsonValue()).map(value => JSON.stringify(value)),
  timestamp: fc.integer({ min: now - 250, max: now + 250 }),
  by: fc.array(anySecret, { minLength: 1, maxLength: 3 }),
  other: anySecret,
})

describe('verify_webhook of chancery.py', withPython, () => {
  test('accepts what the standardwebhooks package signs, with any of the secrets and any of the signatures', async () => {
    const messages = fc.sample(anyMessage, 300)
    const deliveries = messages.map(({ other, by, ...message }, index) => ({
      ...signed({ ...message, by }),
      secrets: index % 3 === 0 ? (by.at(-1) ?? '') : [other, by[0] ?? ''],
    }))
    const results = await verifyInPython(deliveries)
    messages.forEach(({ body }, index) => {
      assert.deepEqual(results[index], JSON.parse(body), JSON.stringify(deliveries[index]))
    })
  })

  test('rejects what the package rejects, whatever is changed', async () => {
    const anyChange = fc.record({
      message: anyMessage,
      what: fc.constantFrom('body', 'id', 'timestamp', 'signature', 'secret', 'nothing'),
      at: fc.nat(),
      put: fc.constantFrom('x', '0', ' ', ',', 'v1,', ''),
    })
    const deliveries = fc.sample(anyChange, 600).map(({ message: { other, ...message }, what, at, put }) => {
      const delivery = { ...signed(message), secrets: what === 'secret' ? other : message.by }
      const change = (text: string) => {
        const place = at % text.length
        return text.slice(0, place) + put + text.slice(place + 1)
      }
      if (what === 'body') delivery.body = base64(change(message.body))
      if (what === 'id') delivery.headers['webhook-id'] = change(message.id)
      if (what === 'timestamp') delivery.headers['webhook-timestamp'] = change(String(message.timestamp))
      if (what === 'signature')
        delivery.headers['webhook-signature'] = change(delivery.headers['webhook-signature'])
      return delivery
    })
    const results = await verifyInPython(deliveries)
    let acceptedByBoth = 0
    deliveries.forEach((delivery, index) => {
      const isAccepted = typeof results[index] === 'object'
      const what = JSON.stringify(delivery)
      // The package reads 12x as 12, and ignores what follows a second comma; chancery.py rejects both.
      const isStrict =
        /^(0|[1-9][0-9]*)$/.test(delivery.headers['webhook-timestamp']) &&
        delivery.headers['webhook-signature'].split(' ').every(each => each.split(',').length <= 2)
      if (isAccepted || isStrict) assert.equal(isAccepted, packageAccepts(delivery), what)
      if (isAccepted) acceptedByBoth += 1
    })
    assert.ok(acceptedByBoth > 50 && acceptedByBoth < 400, `${acceptedByBoth} were accepted`)
  })

  test('accepts a timestamp within five minutes of its clock, and no older or newer one', async () => {
    const offsets = [-301, -300, 0, 300, 301]
    const results = await verifyInPython(offsets.map(offset => signed({ timestamp: now + offset })))
    assert.deepEqual(
      results.map(verdict => typeof verdict),
      ['string', 'object', 'object', 'object', 'string'],
    )
  })

  test('accepts header names in any case, and Python’s own header objects', async () => {
    const delivery = signed()
    const results = await runPython(
      `
import base64, email.message
delivery = json.loads(sys.stdin.read())
message = email.message.Message()
for name, value in delivery["headers"].items():
    message[name.title()] = value
report(verify_webhook(message, base64.b64decode(delivery["body"]), delivery["secrets"])["type"])
report(verify_webhook({n.upper(): v for n, v in delivery["headers"].items()}, base64.b64decode(delivery["body"]), [delivery["secrets"]])["type"])`,
      { input: JSON.stringify(delivery) },
    )
    assert.deepEqual(results, ['war.declared', 'war.declared'])
  })

  const withHeader = (name: string, value: string) => ({
    ...signed(),
    headers: { ...signed().headers, [name]: value },
  })
  const rightSignature = signed().headers['webhook-signature']
  const invalid: Record<string, Delivery> = {
    'another secret': { ...signed(), secrets: otherSecret },
    'a changed body': { ...signed(), body: base64('{"type":"war.declared","data":{"seq":2}}') },
    'a body that is not JSON': signed({ body: 'war' }),
    'a body that is not an object': signed({ body: '[1]' }),
    'a body that is not UTF-8': { ...signed(), body: base64(new Uint8Array([0xff, 0xfe, 0x00])) },
    'no id': withHeader('webhook-id', ''),
    'no timestamp': withHeader('webhook-timestamp', ''),
    'no signature': withHeader('webhook-signature', ''),
    'a timestamp with a sign': withHeader('webhook-timestamp', `+${now}`),
    'a timestamp with a space': withHeader('webhook-timestamp', ` ${now}`),
    'a timestamp with a fraction': withHeader('webhook-timestamp', `${now}.0`),
    'a timestamp with an underscore': withHeader(
      'webhook-timestamp',
      `${String(now).slice(0, 4)}_${String(now).slice(4)}`,
    ),
    'a timestamp in other digits': withHeader('webhook-timestamp', String(now).replaceAll('1', '١')),
    'a timestamp with a leading zero': withHeader('webhook-timestamp', `0${now}`),
    'a timestamp with a line break': withHeader('webhook-timestamp', `${now}\n`),
    'a very long timestamp': withHeader('webhook-timestamp', '9'.repeat(10_000)),
    'a signature of another version': withHeader('webhook-signature', rightSignature.replace('v1,', 'v2,')),
    'a signature without version': withHeader('webhook-signature', rightSignature.replace('v1,', '')),
    'a truncated signature': withHeader('webhook-signature', rightSignature.slice(0, 20)),
    'a signature that is not ASCII': withHeader('webhook-signature', `v1,\ud800é`),
  }
  test('rejects an invalid message with a WebhookError', async () => {
    const results = await verifyInPython(Object.values(invalid))
    assert.deepEqual(
      Object.keys(invalid).map((what, index) => [what, results[index]]),
      Object.keys(invalid).map(what => [what, 'WebhookError']),
    )
  })

  test('an invalid secret is a ValueError, not an error of the message', async () => {
    const results = await verifyInPython(
      ['', 'whsec_', 'whsec_!!!!', [], [secret, ''], 'whsec_ä'].map(secrets => ({ ...signed(), secrets })),
    )
    assert.deepEqual(results, Array(6).fill('ValueError'))
  })

  test('a decoded body is rejected, because it may differ from the raw bytes', async () => {
    const results = await runPython(`
try:
    verify_webhook({}, "{}", "whsec_AAAA")
except TypeError as error:
    report(str(error))`)
    assert.match(String(results[0]), /must be the raw bytes/)
  })
})
