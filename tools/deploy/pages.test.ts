import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { runCommandLine } from '../../cli/src/command-line.ts'
import { brokenLinks } from '../guides/broken-links.ts'
import { without } from './proxies.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')

const pages = [
  'deploy/README.md',
  'docs/operations/deploy.md',
  'docs/operations/runbook.md',
  'docs/operations/metrics.md',
  'docs/operations/logs.md',
  'docs/operations/pull-and-outbox.md',
  'docs/operations/several-worlds.md',
]
const files = [
  'Dockerfile',
  'deploy/.env.example',
  'deploy/compose.yaml',
  'deploy/proxy/Caddyfile',
  'deploy/systemd/chancery.env.example',
  'deploy/systemd/chancery.service',
  'deploy/systemd/chancery@.service',
  'deploy/systemd/chancery-outbox.service',
  'deploy/systemd/chancery-pull.service',
  'deploy/systemd/chancery-world@.service',
  'deploy/systemd/sender.env.example',
  'deploy/worlds/.env.example',
  'deploy/worlds/Caddyfile',
  'deploy/worlds/compose.yaml',
  'deploy/worlds/eu1.env.example',
  'deploy/worlds/nginx.conf',
]

const senders = ['chancery-pull.service', 'chancery-outbox.service']
const units = ['chancery.service', 'chancery@.service', 'chancery-world@.service', ...senders]

test('the links of the pages resolve', async () => {
  for (const page of pages)
    assert.deepEqual(await brokenLinks(await read(page), dirname(join(root, page))), [], page)
})

/** A command of a page with its options. */
function commandsIn(markdown: string): { words: string[]; options: string[] }[] {
  return [...markdown.matchAll(/(?:npx |exec chancery |`)chancery ([^\n`|)]+)/g)].map(([, text = '']) => {
    const parts = text.split(/\s+/)
    const end = parts.findIndex(part => !/^[a-z][a-z-]*$/.test(part))
    return {
      words: parts.slice(0, end === -1 ? parts.length : end),
      options: parts.filter(part => /^--[a-z]/.test(part)),
    }
  })
}

/** The help text of a command. */
async function helpOf(words: string[]): Promise<string> {
  const output = new PassThrough()
  const terminal = { env: {}, input: Readable.from([]), output, messages: new PassThrough() }
  assert.equal(await runCommandLine([...words, '--help'], terminal), 0, words.join(' '))
  output.end()
  return text(output)
}

test('the commands of the pages exist, with their options', {
  timeout: 240_000,
}, async () => {
  const texts = await Promise.all(pages.map(read))
  const wanted = new Map<string, Set<string>>()
  for (const { words, options } of texts.flatMap(commandsIn)) {
    const known = wanted.get(words.join(' ')) ?? new Set()
    wanted.set(words.join(' '), known)
    for (const option of options) known.add(option)
  }
  assert.ok(wanted.size > 10)
  for (const [command, options] of wanted) {
    const output = await helpOf(command.split(' '))
    // An unknown subcommand shows the help of its parent.
    assert.match(output, RegExp(`^Usage: chancery ${command}[ \\n]`), command)
    for (const option of options) assert.ok(output.includes(option), `${command} ${option}`)
  }
})

test('the files set only documented settings', async () => {
  const known = new Set((await read('docs/operations/settings.md')).match(/CHANCERY_[A-Z_]+[A-Z]/g))
  // Variables of the compose file itself.
  for (const name of ['CHANCERY_SITE', 'CHANCERY_VERSION']) known.add(name)
  for (const file of files)
    for (const name of (await read(file)).match(/CHANCERY_[A-Z_]+[A-Z]/g) ?? [])
      assert.ok(known.has(name), `${file}: ${name}`)
})

test('the trusted address of the proxy is not assigned to another container', async () => {
  const compose = await read('deploy/compose.yaml')
  const found = (pattern: RegExp) => {
    const [, ...parts] = compose.match(pattern) ?? assert.fail(String(pattern))
    return parts as [string, string]
  }
  const [address] = found(/ipv4_address: ([\d.]+)/)
  const [trusted] = found(/CHANCERY_TRUSTED_PROXIES: (\S+)/)
  assert.equal(trusted, address)
  const [range, bits] = found(/ip_range: ([\d.]+)\/(\d+)/)
  const given = new BlockList()
  given.addSubnet(range, Number(bits))
  assert.ok(!given.check(address), 'another container could get its address')
})

test('the units differ only in the settings of several processes and worlds', async () => {
  const settingsOf = async (name: string) =>
    (await read(`deploy/systemd/${name}`)).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const one = await settingsOf('chancery.service')
  const keys = (lines: string[]) => lines.map(line => line.split('=')[0])
  const expected = ['Description', 'Environment', 'EnvironmentFile', 'ExecStartPost']
  for (const [name, more] of [
    ['chancery@.service', []],
    ['chancery-world@.service', ['StateDirectory']],
  ] as const) {
    const several = await settingsOf(name)
    assert.deepEqual(keys(several), keys(one))
    const changed = several.filter(line => !one.includes(line)).map(line => line.split('=')[0])
    assert.deepEqual(changed, [...expected, ...more], name)
  }
})

test('the units and containers of senders run commands that exist, and differ only in them', async () => {
  const compose = parse(await read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, { command: string[]; profiles: string[] }>
  }
  const texts = await Promise.all(senders.map(name => read(`deploy/systemd/${name}`)))
  const common = texts.map(text => text.replace(/^(#|Description=|ExecStart=).*$/gm, ''))
  assert.equal(common[0], common[1])
  for (const [index, service] of ['pull', 'outbox'].entries()) {
    const { command = [], profiles } = compose.services[service] ?? assert.fail(service)
    assert.deepEqual(profiles, [service])
    assert.ok(texts[index]?.includes(`main.js ${command.join(' ')}\n`), service)
    assert.match(await helpOf(command), RegExp(`^Usage: chancery ${command.join(' ')} `))
  }
})

test('the memory of each process is limited', async () => {
  const [, service = ''] =
    /^ {2}chancery: &chancery\n((?: {4}.*\n)+)/m.exec(await read('deploy/compose.yaml')) ?? []
  assert.match(service, /^ {4}mem_limit: [1-4]g$/m)
  for (const name of units) assert.match(await read(`deploy/systemd/${name}`), /^MemoryMax=[1-4]G$/m, name)
})

test('systemd accepts the units and their exposure level', {
  skip: without('systemd-analyze', '--version'),
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-units-'))
  try {
    for (const name of units) {
      await cp(join(root, 'deploy/systemd', name), join(dir, name))
      // The installation folder does not exist here.
      const unit = await readFile(join(dir, name), 'utf8')
      await writeFile(
        join(dir, name),
        unit.replaceAll('/opt/chancery/node_modules/.bin/node', process.execPath),
      )
    }
    const started = units.map(name => join(dir, name.replace('world@.', 'world@eu1.').replace('y@.', 'y@1.')))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...started], { encoding: 'utf8' })
    assert.equal(verified.status, 0, verified.stderr)
    assert.ok(!verified.stderr.includes('chancery'), verified.stderr)
    for (const name of ['chancery.service', ...senders]) {
      const words = ['security', '--offline=true', '--threshold=20', join(dir, name)]
      const judged = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
      assert.equal(judged.status, 0, judged.stdout.split('\n').at(-2))
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
