import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { limits, webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { chancery } from '../cli/test/chancery.ts'
import { brokenLinks } from './guides/broken-links.ts'
import { durationSeconds, tableRows } from './guides/markdown-table.ts'
import { markedBlock } from './guides/marked-block.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const guide = await readFile(join(root, 'docs/guides/follow-the-war-feed.md'), 'utf8')

const needs = (program: string, argument: string) =>
  spawnSync(program, [argument]).status === 0 ? {} : { skip: `${program} is not installed` }

const secret = 'whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHMgb2YgZ3VpZGVz'
const otherSecret = 'whsec_YW5vdGhlciBzZWNyZXQsIG9mIHNvbWVib2R5IGVsc2U='

let dir: string
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-guides-'))
})
after(() => rm(dir, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Writes a block of the guide to a folder of its own. */
async function extract(name: string): Promise<{ cwd: string; file: string }> {
  const cwd = await mkdtemp(join(dir, 'block-'))
  const file = join(cwd, name)
  await writeFile(file, markedBlock(guide, name))
  return { cwd, file }
}

const nowSeconds = () => Math.floor(Date.now() / 1000)

interface Message {
  headers: Record<string, string>
  body: string
}

let messages = 0

/** A message as Chancery sends it, signed by somebody else's code. */
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

/** Posts, and answers the status. */
function post(port: number, { headers, body }: Message): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body)
    const req = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { ...headers, 'content-length': length },
    })
    req.on('error', reject)
    req.on('response', (res: IncomingMessage) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode))
    })
    req.end(body)
  })
}

/** Begins a body, and hangs up before its end. */
async function hangUp(port: number): Promise<void> {
  const { headers } = message()
  const req = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { ...headers, 'content-length': 100 },
  })
  req.on('error', () => {})
  req.write('{')
  await once(req, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'))
  req.destroy()
}

const bodyBytesMax = 1_048_576
const bodyOf = (bytes: number) => `{"type":"news.published","padding":"${'x'.repeat(bytes - 38)}"}`

const receivers = [
  { name: 'receiver.ts', program: process.execPath, condition: {} },
  { name: 'receiver.py', program: 'python3', condition: needs('python3', '--version') },
]

for (const { name, program, condition } of receivers) {
  describe(`the guide's ${name}`, condition, () => {
    let port: number
    let cwd: string
    let end: () => Promise<unknown>

    const inbox = async () =>
      (await readFile(join(cwd, 'inbox.ndjson'), 'utf8').catch(() => '')).split('\n').filter(line => line)

    before(async () => {
      port = await freePort()
      const extracted = await extract(name)
      cwd = extracted.cwd
      const child = spawn(program, [extracted.file], {
        cwd,
        env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let errors = ''
      child.stderr.on('data', text => (errors += text))
      const ended = once(child, 'exit')
      end = () => {
        child.kill()
        return ended
      }
      while ((await post(port, { headers: {}, body: '' }).catch(() => 0)) === 0) {
        assert.equal(child.exitCode, null, errors)
        await sleep(20)
      }
    })
    after(() => end())

    test('takes a message that is signed', async () => {
      const signed = message({ body: '{"summary":"Côte d’Azur declared war on 北."}' })
      assert.equal(await post(port, signed), 204)
      assert.equal((await inbox()).at(-1), signed.body)
    })

    test('takes a test and a kind that nobody knows', async () => {
      for (const type of [webhooks.testType, 'game.unheard_of'])
        assert.equal(await post(port, message({ body: JSON.stringify({ type }) })), 204)
    })

    test('takes a message with a signature of the secret before or after its own', async () => {
      assert.equal(await post(port, message({ secrets: [otherSecret, secret] })), 204)
      assert.equal(await post(port, message({ secrets: [secret, otherSecret] })), 204)
    })

    test('answers a repeated message, and keeps it once', async () => {
      const signed = message({ body: '{"type":"battle.fought","data":{"seq":77}}' })
      assert.equal(await post(port, signed), 204)
      assert.equal(await post(port, signed), 204)
      assert.equal((await inbox()).filter(line => line === signed.body).length, 1)
    })

    test('takes a body of the largest size', async () => {
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
    // Made when they are sent: minutes count.
    const refused: Record<string, [number, () => Message]> = {
      'a signature of another secret': [401, () => message({ secrets: [otherSecret] })],
      'a changed body': [401, () => ({ ...signed(), body: '{"data":{"seq":3}}' })],
      'another id': [401, () => withHeader('webhook-id', () => 'evt_other')],
      'a message of more than five minutes ago': [401, () => message({ timestamp: nowSeconds() - 301 })],
      'a message of more than five minutes ahead': [401, () => message({ timestamp: nowSeconds() + 320 })],
      'a later timestamp than was signed': [
        401,
        () => withHeader('webhook-timestamp', seconds => String(Number(seconds) + 1)),
      ],
      'a timestamp that is none': [401, () => withHeader('webhook-timestamp', () => 'soon')],
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
    for (const [what, [status, make]] of Object.entries(refused)) {
      test(`refuses ${what}`, async () => {
        const before = await inbox()
        assert.equal(await post(port, make()), status)
        assert.deepEqual(await inbox(), before)
      })
    }

    test('survives a sender who hangs up', async () => {
      await hangUp(port)
      assert.equal(await post(port, message()), 204)
    })

    test('does not start without a secret', async () => {
      const { file } = await extract(name)
      const env = { ...process.env, WEBHOOK_SECRET: '', PORT: String(await freePort()) }
      await assert.rejects(run(program, [file], { env, timeout: 120_000 }), /WEBHOOK_SECRET is not set/)
    })
  })
}

test('the TypeScript of the guide passes the compiler', async () => {
  const files: string[] = []
  for (const name of ['poll.ts', 'stream.ts', 'receiver.ts']) files.push((await extract(name)).file)
  const config = join(dir, 'tsconfig.json')
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'))
  const typeRoots = [join(root, 'node_modules/@types')]
  await writeFile(config, JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files }))
  // A program of one file, in a folder where nothing says that it is a module.
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', config]).catch(
    ({ stdout }) => assert.fail(stdout),
  )
})

/** A server of canned answers. */
async function serve(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const eventsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    seq: first + index,
    type: 'war.declared',
    summary: `War ${first + index}.`,
  }))

/** Runs a program until it has printed so many lines. */
async function linesOf(
  { file, cwd }: { file: string; cwd: string },
  { args = [], env, count }: { args?: string[]; env: Record<string, string>; count: number },
): Promise<string[]> {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines: string[] = []
  const timer = setTimeout(() => child.kill(), 120_000)
  for await (const line of createInterface(child.stdout)) if (lines.push(line) === count) break
  clearTimeout(timer)
  child.kill()
  await exited
  return lines
}

test('the guide’s poll.ts begins at the newest event, waits when it is told to, and goes on where it stopped', async () => {
  const asked: string[] = []
  const answers = new Map([
    ['limit=1', eventsFrom(40, 1)],
    ['after=40&type=war.*&limit=100', eventsFrom(41, 100)],
    ['after=140&type=war.*&limit=100', eventsFrom(141, 1)],
    ['after=141&type=war.*&limit=100', []],
  ])
  const api = await serve((req, res) => {
    const query = String(req.url).slice('/api/v1/events?'.length)
    asked.push(query)
    if (asked.length === 2) return res.writeHead(429, { 'retry-after': '0' }).end()
    res.end(JSON.stringify({ data: answers.get(query) ?? [] }))
  })
  try {
    const block = await extract('poll.ts')
    const env = { CHANCERY_URL: api.url, EVERY_MS: '5' }
    const lines = await linesOf(block, { env, count: 101 })
    assert.deepEqual([lines[0], lines[100]], ['41 war.declared War 41.', '141 war.declared War 141.'])
    assert.deepEqual(asked.slice(0, 4), [
      'limit=1',
      'after=40&type=war.*&limit=100',
      'after=40&type=war.*&limit=100',
      'after=140&type=war.*&limit=100',
    ])

    await writeFile(join(block.cwd, 'seq.txt'), '140')
    asked.splice(0, asked.length, 'stopped', 'begun again')
    assert.deepEqual(await linesOf(block, { env, count: 1 }), ['141 war.declared War 141.'])
    assert.equal(asked[2], 'after=140&type=war.*&limit=100')
  } finally {
    api.close()
  }
})

test('the guide’s stream.ts reads events in pieces, and comes back with the last id', async () => {
  const seen: { lastId: unknown; authorization: unknown }[] = []
  const api = await serve(async (req, res) => {
    const { 'last-event-id': lastId, authorization } = req.headers
    seen.push({ lastId, authorization })
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const [one, two] = seen.length === 1 ? eventsFrom(8, 2) : eventsFrom(31, 2)
    const text = `retry: 3000\n\nid: 7\n\n: up to date\nid: 7\n\nid: ${one?.seq}\ndata: ${JSON.stringify(one)}\n\n`
    for (const part of [text.slice(0, 60), text.slice(60)]) {
      res.write(part)
      await sleep(20)
    }
    if (seen.length > 1) return res.write(`id: ${two?.seq}\ndata: ${JSON.stringify(two)}\n\n`)
    res.end(': heartbeat\nid: 30\n\n')
  })
  try {
    const env = { CHANCERY_URL: api.url, CHANCERY_KEY: 'chk_of_the_tests' }
    const lines = await linesOf(await extract('stream.ts'), { args: ['5'], env, count: 3 })
    assert.deepEqual(lines, ['8 War 8.', '31 War 31.', '32 War 32.'])
    assert.deepEqual(seen, [
      { lastId: '5', authorization: 'Bearer chk_of_the_tests' },
      { lastId: '30', authorization: 'Bearer chk_of_the_tests' },
    ])
  } finally {
    api.close()
  }
})

test('the message that the guide shows is signed with the secret beside it', () => {
  const [head = '', body = ''] = markedBlock(guide, 'message').trimEnd().split('\n\n')
  const header = (name: string) => RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const shown = /the secret was `(whsec_[^`]+)`/.exec(guide)?.[1] ?? ''
  const at = new Date(Number(header(webhooks.timestampHeader)) * 1000)
  assert.equal(header(webhooks.signatureHeader), new Webhook(shown).sign(header(webhooks.idHeader), at, body))
  const { type, timestamp, data } = JSON.parse(body)
  assert.deepEqual([type, timestamp, header('webhook-id')], [data.type, data.occurred_at, data.id])
})

test(
  'openssl comes to the signature that the guide shows, and so do others',
  needs('openssl', 'version'),
  async () => {
    const script = markedBlock(guide, 'verify.sh')
    const shown = markedBlock(guide, 'signature').trim()
    const { stdout } = await run('sh', ['-euc', script])
    assert.equal(stdout.trim(), shown)
    const value = (name: string) => RegExp(`^${name}='(.*)'$`, 'm').exec(script)?.[1] ?? ''
    const at = new Date(Number(value('timestamp')) * 1000)
    assert.equal(new Webhook(value('secret')).sign(value('id'), at, value('body')), shown)
  },
)

test('the guide’s table of retries is the one that is kept', () => {
  const rows = tableRows(markedBlock(guide, 'retries'))
  const { retryDelaysSeconds: delays, retryJitter, retryAfterFactorMax } = webhooks
  assert.equal(rows.length, delays.length + 1)
  let total = 0
  const expected = delays.map((delay, index) => {
    total += delay
    return [index + 2, delay, delay * (1 + retryJitter), delay * retryAfterFactorMax, total]
  })
  assert.deepEqual(
    rows.slice(1).map(([attempt, ...times]) => [Number(attempt), ...times.map(durationSeconds)]),
    expected,
  )
  const ends = /is (\d[\w ]*?) to (\d[\w ]*?) after the first/.exec(guide) ?? []
  assert.deepEqual(ends.slice(1).map(durationSeconds), [total, Math.round(total * (1 + retryJitter))])
})

test('the guide’s other numbers are those that are kept', () => {
  const days = webhooks.failingDays
  for (const sentence of [
    `no response within ${webhooks.timeoutSeconds} seconds`,
    `You have ${webhooks.timeoutSeconds} seconds`,
    `every attempt of ${days} days has failed. At ${webhooks.failingWarnings.join(', ').replace(/, (\d+)$/, ' and $1')} % of that time`,
    `more than ${webhooks.sporadicAfterHours} hours after the one before it`,
    `stays in the log for ${webhooks.logDays} days`,
    `For ${webhooks.secretOverlapHours} hours every message carries two signatures`,
    `up to ${webhooks.retryJitter * 100} % longer`,
    `| ${webhooks.endpointsPerPlayerMax} endpoints for each player`,
    `| ${limits.anonymousCalls} calls a minute without a key, ${limits.keyCalls} with one`,
    `| ${limits.streamsPerAddress} streams without a key, ${limits.streamsPerKey} with one`,
    `A heartbeat comes every ${limits.streamHeartbeatSeconds} seconds`,
    `type \`${webhooks.testType}\``,
  ])
    assert.ok(guide.includes(sentence), `the guide does not say: ${sentence}`)
})

test('the commands of the documents and their options are those of the command line', async () => {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', 'docs/*.md'], {
    cwd: root,
  })
  const commands = new Map<string, Set<string>>()
  for (const file of stdout.trim().split('\n')) {
    const document = await readFile(join(root, file), 'utf8')
    for (const [, line = ''] of document.matchAll(/^npx chancery (.*)$/gm)) {
      const command = /^[a-z]+( [a-z]+(?= |$))*/.exec(line)?.[0] ?? line
      const options = commands.get(command) ?? new Set()
      commands.set(command, options)
      for (const [option] of line.matchAll(/--[a-z-]+/g)) options.add(option)
    }
  }
  assert.ok(commands.has('webhooks add'))
  await Promise.all(
    [...commands].map(async ([command, options]) => {
      const { output: help } = await chancery([...command.split(' '), '--help'])
      // What follows a command's name may be what it is given.
      const [, name = '', takes = ''] = /^Usage: chancery ([a-z-]+(?: [a-z-]+)*) (.*)$/m.exec(help) ?? []
      const isCommand = command === name || (command.startsWith(`${name} `) && !takes.includes('[command]'))
      assert.ok(name !== '' && isCommand, `there is no command: ${command}`)
      for (const option of options)
        assert.match(help, RegExp(`^ +${option} `, 'm'), `${command} has no option ${option}`)
    }),
  )
})

test('every link between documents names a file, and every anchor a heading', async () => {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md'], { cwd: root })
  const files = stdout
    .trim()
    .split('\n')
    .filter(file => existsSync(join(root, file)))
  assert.ok(files.includes('docs/guides/follow-the-war-feed.md'))
  const read = (file: string) => readFile(resolve(root, file), 'utf8')
  const broken: string[] = []
  for (const file of files) {
    for (const link of await brokenLinks(await read(file), join(root, dirname(file))))
      broken.push(`${file}: ${link}`)
  }
  assert.deepEqual(broken, [])
})
