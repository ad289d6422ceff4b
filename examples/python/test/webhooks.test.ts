import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { runPython, withPython } from './python.ts'

/** What a receiver is given. The body is base64: it may be no text at all. */
interface Trial {
  headers: Record<string, string>
  body: string
  secrets: string | string[]
  now?: number
}

/** Lets Python judge each: the parsed body, or the name of the error. */
const judge = (trials: Trial[]) =>
  runPython(
    `
import base64
for line in sys.stdin:
    trial = json.loads(line)
    try:
        tell(verify_webhook(trial["headers"], base64.b64decode(trial["body"]), trial["secrets"], now=trial.get("now")))
    except (WebhookError, ValueError) as error:
        tell(type(error).__name__)`,
    { input: trials.map(trial => `${JSON.stringify(trial)}\n`).join('') },
  )

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const secret = `whsec_${base64('the secret of these tests')}`
const otherSecret = `whsec_${base64('another one, of somebody else')}`
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

/** Whether the package takes it; it reads the clock, so times are those of now. */
function packageTakes({ headers, body, secrets }: Trial): boolean {
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
  test('takes what the standardwebhooks package signs, with any of the secrets and any of the signatures', async () => {
    const messages = fc.sample(anyMessage, 300)
    const trials = messages.map(({ other, by, ...message }, index) => ({
      ...signed({ ...message, by }),
      secrets: index % 3 === 0 ? (by.at(-1) ?? '') : [other, by[0] ?? ''],
    }))
    const verdicts = await judge(trials)
    messages.forEach(({ body }, index) => {
      assert.deepEqual(verdicts[index], JSON.parse(body), JSON.stringify(trials[index]))
    })
  })

  test('refuses what the package refuses, when anything is changed', async () => {
    const anyChange = fc.record({
      message: anyMessage,
      what: fc.constantFrom('body', 'id', 'timestamp', 'signature', 'secret', 'nothing'),
      at: fc.nat(),
      put: fc.constantFrom('x', '0', ' ', ',', 'v1,', ''),
    })
    const trials = fc.sample(anyChange, 600).map(({ message: { other, ...message }, what, at, put }) => {
      const trial = { ...signed(message), secrets: what === 'secret' ? other : message.by }
      const change = (text: string) => {
        const place = at % text.length
        return text.slice(0, place) + put + text.slice(place + 1)
      }
      if (what === 'body') trial.body = base64(change(message.body))
      if (what === 'id') trial.headers['webhook-id'] = change(message.id)
      if (what === 'timestamp') trial.headers['webhook-timestamp'] = change(String(message.timestamp))
      if (what === 'signature')
        trial.headers['webhook-signature'] = change(trial.headers['webhook-signature'])
      return trial
    })
    const verdicts = await judge(trials)
    let takenByBoth = 0
    trials.forEach((trial, index) => {
      const isTaken = typeof verdicts[index] === 'object'
      const what = JSON.stringify(trial)
      // The package reads 12x as 12, and leaves what follows a second comma; here neither is taken.
      const isStrict =
        /^(0|[1-9][0-9]*)$/.test(trial.headers['webhook-timestamp']) &&
        trial.headers['webhook-signature'].split(' ').every(each => each.split(',').length <= 2)
      if (isTaken || isStrict) assert.equal(isTaken, packageTakes(trial), what)
      if (isTaken) takenByBoth += 1
    })
    assert.ok(takenByBoth > 50 && takenByBoth < 400, `${takenByBoth} were taken`)
  })

  test('takes a message from five minutes before to five minutes after its clock, and no older or newer', async () => {
    const offsets = [-301, -300, 0, 300, 301]
    const verdicts = await judge(offsets.map(offset => signed({ timestamp: now + offset })))
    assert.deepEqual(
      verdicts.map(verdict => typeof verdict),
      ['string', 'object', 'object', 'object', 'string'],
    )
  })

  test('takes header names in any case, and Python’s own header objects', async () => {
    const trial = signed()
    const told = await runPython(
      `
import base64, email.message
trial = json.loads(sys.stdin.read())
message = email.message.Message()
for name, value in trial["headers"].items():
    message[name.title()] = value
tell(verify_webhook(message, base64.b64decode(trial["body"]), trial["secrets"])["type"])
tell(verify_webhook({n.upper(): v for n, v in trial["headers"].items()}, base64.b64decode(trial["body"]), [trial["secrets"]])["type"])`,
      { input: JSON.stringify(trial) },
    )
    assert.deepEqual(told, ['war.declared', 'war.declared'])
  })

  const withHeader = (name: string, value: string) => ({
    ...signed(),
    headers: { ...signed().headers, [name]: value },
  })
  const rightSignature = signed().headers['webhook-signature']
  const refused: Record<string, Trial> = {
    'another secret': { ...signed(), secrets: otherSecret },
    'a changed body': { ...signed(), body: base64('{"type":"war.declared","data":{"seq":2}}') },
    'a body that is no JSON': signed({ body: 'war' }),
    'a body that is no object': signed({ body: '[1]' }),
    'a body that is no text': { ...signed(), body: base64(new Uint8Array([0xff, 0xfe, 0x00])) },
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
    'a timestamp with a zero before': withHeader('webhook-timestamp', `0${now}`),
    'a timestamp with a line break': withHeader('webhook-timestamp', `${now}\n`),
    'an endless timestamp': withHeader('webhook-timestamp', '9'.repeat(10_000)),
    'a signature of another version': withHeader('webhook-signature', rightSignature.replace('v1,', 'v2,')),
    'a signature without version': withHeader('webhook-signature', rightSignature.replace('v1,', '')),
    'the beginning of a signature': withHeader('webhook-signature', rightSignature.slice(0, 20)),
    'a signature that is no text': withHeader('webhook-signature', `v1,\ud800é`),
  }
  test('refuses, and as a WebhookError', async () => {
    const verdicts = await judge(Object.values(refused))
    assert.deepEqual(
      Object.keys(refused).map((what, index) => [what, verdicts[index]]),
      Object.keys(refused).map(what => [what, 'WebhookError']),
    )
  })

  test('a secret that is none is a mistake of the receiver’s, not of the message', async () => {
    const verdicts = await judge(
      ['', 'whsec_', 'whsec_!!!!', [], [secret, ''], 'whsec_ä'].map(secrets => ({ ...signed(), secrets })),
    )
    assert.deepEqual(verdicts, Array(6).fill('ValueError'))
  })

  test('a body that was made a text is refused: it may not be what came', async () => {
    const told = await runPython(`
try:
    verify_webhook({}, "{}", "whsec_AAAA")
except TypeError as error:
    tell(str(error))`)
    assert.match(String(told[0]), /must be the bytes/)
  })
})
