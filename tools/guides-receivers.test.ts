/** The webhook receivers of the guide to the war feed, in TypeScript and Python. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../server/src/store/embedded/socket.ts'
import { extractBlock, needs, readGuide, run } from './guides/guide.ts'

const guide = await readGuide('follow-the-war-feed')
const secret = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHMgb2YgZ3VpZGVz'
const otherSecret = 'whsec_YW5vdGhlciBzZWNyZXQsIG9mIHNvbWVib2R5IGVsc2U='

const nowSeconds = () => Math.floor(Date.now() / 1000)

interface Message {
  headers: Record<string, string>
  body: string
}

let messages = 0

/** A message as Chancery sends it, signed by the standardwebhooks package. */
function message({
  body = '{"type":"war.declared","timestamp":"2026-05-20T10:00:00Z","data":{"seq":1}}',
  timestamp = nowSeconds(),
  secrets = [secret],
}: {
  body?: string
  timestamp?: number
  secrets?: string[]
} = {}): Message {
  messages += 1
  const id = `evt_${messages}`
  const signatures = secrets.map(one => new Webhook(one).sign(id, new Date(timestamp * 1000), body))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
  return { headers, body }
}

const requestTo = (port: number, headers: Record<string, string>, length: number) =>
  request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { ...headers, 'content-length': length },
  })

/** Posts a message, and returns the status. */
function post(port: number, { headers, body }: Message): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const req = requestTo(port, headers, Buffer.byteLength(body))
    req.on('error', reject)
    req.on('response', (res: IncomingMessage) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode))
    })
    req.end(body)
  })
}

/** Starts to send a body, and closes the connection before its end. */
async function hangUp(port: number): Promise<void> {
  const req = requestTo(port, message().headers, 100)
  req.on('error', () => {})
  req.write('{')
  await once(req, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'))
  req.destroy()
}

const bodyBytesMax = 1_048_576
const bodyOf = (bytes: number) => `{"type":"news.published","padding":"${'x'.repeat(bytes - 38)}"}`

const receivers = [
  { name: 'receiver.mjs', program: process.execPath, condition: {} },
  { name: 'receiver.py', program: 'python3', condition: needs('python3') },
]

for (const { name, program, condition } of receivers) {
  describe(`the guide's ${name}`, condition, () => {
    let port: number
    let block: Awaited<ReturnType<typeof extractBlock>>
    let end: () => Promise<unknown>
    let startLine: () => string

    const inbox = async () =>
      (await readFile(join(block.cwd, 'inbox.ndjson'), 'utf8').catch(() => '')).split('\n').filter(Boolean)

    before(async () => {
      port = await freePort()
      block = await extractBlock(guide, name)
      const child = spawn(program, [block.file], {
        cwd: block.cwd,
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let errors = ''
      child.stderr.on('data', text => (errors += text))
      let printed = ''
      child.stdout.on('data', text => (printed += text))
      startLine = () => printed
      const ended = once(child, 'exit')
      end = () => {
        child.kill()
        return ended.then(block.remove)
      }
      while ((await post(port, { headers: {}, body: '' }).catch(() => 0)) === 0) {
        assert.equal(child.exitCode, null, errors)
        await sleep(20)
      }
    })
    after(() => end())

    test('prints that it waits for messages', () => {
      assert.equal(startLine(), `Waiting for messages on port ${port}, to append to inbox.ndjson.\n`)
    })

    test('accepts a signed message', async () => {
      const signed = message({ body: '{"summary":"Côte d’Azur declared war on 北."}' })
      assert.equal(await post(port, signed), 204)
      assert.equal((await inbox()).at(-1), signed.body)
    })

    test('accepts a test and an unknown kind', async () => {
      for (const type of [webhooks.testType, 'game.unheard_of'])
        assert.equal(await post(port, message({ body: JSON.stringify({ type }) })), 204)
    })

    test('accepts a message that is also signed with the previous or next secret', async () => {
      assert.equal(await post(port, message({ secrets: [otherSecret, secret] })), 204)
      assert.equal(await post(port, message({ secrets: [secret, otherSecret] })), 204)
    })

    test('acknowledges a repeated message, and stores it once', async () => {
      const signed = message({ body: '{"type":"battle.fought","data":{"seq":77}}' })
      assert.equal(await post(port, signed), 204)
      assert.equal(await post(port, signed), 204)
      assert.equal((await inbox()).filter(line => line === signed.body).length, 1)
    })

    test('accepts a body of the maximum size', async () => {
      const body = bodyOf(bodyBytesMax)
      assert.equal(Buffer.byteLength(body), bodyBytesMax)
      assert.equal(await post(port, message({ body })), 204)
    })

    const signed = () => message({ body: '{"data":{"seq":2}}' })
    /** A signed message, with one header changed. */
    const withHeader = (name: string, change: (value: string) => string): Message => {
      const { headers, body } = signed()
      return { headers: { ...headers, [name]: change(headers[name] ?? '') }, body }
    }
    const without = (name: string): Message => {
      const { headers, body } = signed()
      const { [name]: _, ...others } = headers
      return { headers: others, body }
    }
    // Created when they are sent, because timestamps expire.
    const invalid: Record<string, [number, () => Message]> = {
      'a signature of another secret': [401, () => message({ secrets: [otherSecret] })],
      'a changed body': [401, () => ({ ...signed(), body: '{"data":{"seq":3}}' })],
      'another id': [401, () => withHeader('webhook-id', () => 'evt_other')],
      'a message of more than five minutes ago': [401, () => message({ timestamp: nowSeconds() - 301 })],
      'a message of more than five minutes ahead': [401, () => message({ timestamp: nowSeconds() + 320 })],
      'a later timestamp than the signed one': [
        401,
        () => withHeader('webhook-timestamp', seconds => String(Number(seconds) + 1)),
      ],
      'an invalid timestamp': [401, () => withHeader('webhook-timestamp', () => 'soon')],
      'an empty signature': [401, () => withHeader('webhook-signature', () => 'v1,')],
      'a signature of another version': [
        401,
        () => withHeader('webhook-signature', value => value.replace('v1,', 'v2,')),
      ],
      'a message without webhook-id': [401, () => without('webhook-id')],
      'a message without webhook-timestamp': [401, () => without('webhook-timestamp')],
      'a message without webhook-signature': [401, () => without('webhook-signature')],
      'a body that is too large': [413, () => message({ body: bodyOf(bodyBytesMax + 1) })],
    }
    for (const [what, [status, make]] of Object.entries(invalid)) {
      test(`rejects ${what}`, async () => {
        const before = await inbox()
        assert.equal(await post(port, make()), status)
        assert.deepEqual(await inbox(), before)
      })
    }

    test('continues after a sender closed the connection', async () => {
      await hangUp(port)
      assert.equal(await post(port, message()), 204)
    })

    test('does not start without a secret', async () => {
      const { WEBHOOK_SECRET: _, ...without } = process.env
      for (const env of [without, { ...without, WEBHOOK_SECRET: '' }])
        await assert.rejects(run(program, [block.file], { env, timeout: 120_000 }), {
          code: 1,
          stderr: 'WEBHOOK_SECRET is not set: it is the secret of your endpoint, whsec_…\n',
        })
    })
  })
}
