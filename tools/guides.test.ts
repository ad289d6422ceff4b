/** The programs and numbers of the guide to the war feed, and the commands and links of all documents. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits, webhooks } from '@chancery/contract'
import { Webhook } from 'standardwebhooks'
import { chancery } from '../cli/test/chancery.ts'
import { listen } from '../server/test/support/listen.ts'
import { brokenLinks } from './guides/broken-links.ts'
import {
  durationSeconds,
  extractBlock,
  markedBlock,
  needs,
  readGuide,
  root,
  run,
  tableRows,
} from './guides/guide.ts'

const guide = await readGuide('follow-the-war-feed')

/** A server of canned responses. */
async function serve(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener)
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
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

/** Runs a program of the guide until it has printed this number of lines. */
async function linesOf(
  { file, cwd }: { file: string; cwd: string },
  count: number,
  env: Record<string, string>,
  ...args: string[]
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

test('the guide’s poll.mjs starts at the newest event, waits for retry-after, and continues at its position after a restart', async () => {
  const requested: string[] = []
  const pages = new Map([
    ['limit=1', eventsFrom(40, 1)],
    ['after=40&type=war.*&limit=100', eventsFrom(41, 100)],
    ['after=140&type=war.*&limit=100', eventsFrom(141, 1)],
    ['after=141&type=war.*&limit=100', []],
  ])
  const api = await serve((req, res) => {
    const query = String(req.url).slice('/api/v1/events?'.length)
    requested.push(query)
    if (requested.length === 2) return res.writeHead(429, { 'retry-after': '0' }).end()
    res.end(JSON.stringify({ data: pages.get(query) ?? [] }))
  })
  const block = await extractBlock(guide, 'poll.mjs')
  try {
    const env = { CHANCERY_URL: api.url, EVERY_MS: '5' }
    const lines = await linesOf(block, 101, env)
    assert.deepEqual([lines[0], lines[100]], ['41 war.declared War 41.', '141 war.declared War 141.'])
    assert.deepEqual(requested.slice(0, 4), [
      'limit=1',
      'after=40&type=war.*&limit=100',
      'after=40&type=war.*&limit=100',
      'after=140&type=war.*&limit=100',
    ])

    await writeFile(join(block.cwd, 'seq.txt'), '140')
    requested.splice(0, requested.length, 'stopped', 'restarted')
    assert.deepEqual(await linesOf(block, 1, env), ['141 war.declared War 141.'])
    assert.equal(requested[2], 'after=140&type=war.*&limit=100')
  } finally {
    await block.remove()
    api.close()
  }
})

test('the guide’s stream.mjs reads events in parts, and reconnects with the last id', async () => {
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
  const block = await extractBlock(guide, 'stream.mjs')
  try {
    const env = { CHANCERY_URL: api.url, CHANCERY_KEY: 'chk_of_the_tests' }
    const lines = await linesOf(block, 3, env, '5')
    assert.deepEqual(lines, ['8 War 8.', '31 War 31.', '32 War 32.'])
    assert.deepEqual(seen, [
      { lastId: '5', authorization: 'Bearer chk_of_the_tests' },
      { lastId: '30', authorization: 'Bearer chk_of_the_tests' },
    ])
  } finally {
    await block.remove()
    api.close()
  }
})

test('the message of the guide is signed with the secret beside it', () => {
  const [head = '', body = ''] = markedBlock(guide, 'message').trimEnd().split('\n\n')
  const header = (name: string) => RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const shown = /the secret was `(whsec_[^`]+)`/.exec(guide)?.[1] ?? ''
  const at = new Date(Number(header(webhooks.timestampHeader)) * 1000)
  assert.equal(header(webhooks.signatureHeader), new Webhook(shown).sign(header(webhooks.idHeader), at, body))
  const { type, timestamp, data } = JSON.parse(body)
  assert.deepEqual([type, timestamp, header('webhook-id')], [data.type, data.occurred_at, data.id])
})

test(
  'openssl and standardwebhooks compute the signature of the guide',
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

test('the guide’s table of retries is that of the contract', () => {
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

test('the guide’s other numbers are those of the contract', () => {
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
    `| ${limits.anonymousCalls} requests a minute without a key, ${limits.keyCalls} with one`,
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
      // The name of a command may be followed by its arguments.
      const [, name = '', takes = ''] = /^Usage: chancery ([a-z-]+(?: [a-z-]+)*) (.*)$/m.exec(help) ?? []
      const isCommand = command === name || (command.startsWith(`${name} `) && !takes.includes('[command]'))
      assert.ok(name !== '' && isCommand, `there is no command: ${command}`)
      for (const option of options)
        assert.match(help, RegExp(`^ +${option} `, 'm'), `${command} has no option ${option}`)
    }),
  )
})

test('guides set each variable that their commands use', async () => {
  for (const file of globSync('docs/guides/*.md', { cwd: root })) {
    const markdown = await readFile(join(root, file), 'utf8')
    for (const { 1: block = '', index } of markdown.matchAll(/^```sh\n(.*?)^```$/gms))
      for (const [, name] of block.matchAll(/\$([A-Z_]+)/g))
        assert.match(
          markdown.slice(0, index),
          RegExp(`^export ${name}=`, 'm'),
          `${file} does not set ${name}`,
        )
  }
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
