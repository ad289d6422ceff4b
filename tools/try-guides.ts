/**
 * Follows the guides as a reader does who knows only the address of a game: starts a demo, installs both clients from it into an
 * empty folder, and runs every program that the served guides show, with the machine's own Node, npm and Python. Exits 1 if a
 * program fails or prints something else, or if the guides have a program that is not listed here.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { markedBlock } from './guides/guide.ts'
import { root, runChancery } from './smoke/running-chancery.ts'

const run = promisify(execFile)

/** How a reader runs a program, and what it prints. It is stopped when it has printed that. */
interface Run {
  args?: (world: World) => Promise<string[]>
  prints: RegExp
  /** What it prints without variables and arguments; it then exits with 1. */
  lacks?: RegExp
  /** It needs an account or a package from elsewhere: only its syntax is checked. */
  isChecked?: true
}

/** What a reader has besides the address. */
interface World {
  /** A verification code from the developer settings. */
  code(): Promise<string>
}

const account = '80351110224678912'
const usage = /^Usage: \w+ \w+\.\w+ [A-Z ]+\n$/
const verify: Run = { args: async ({ code }) => [await code(), account], prints: /^n2 \S/m, lacks: usage }
const ranking: Run = { prints: /^1 \S.*\n(.*\n)+1 \S/m }
const own: Run = { prints: /^\S.* (\d|not reported)/m, lacks: /^CHANCERY_KEY is not set: .*\n$/ }
const gone: Run = { args: async () => ['n2', 'n5', 'n987654'], prints: /^n987654$/m }
const nation: Run = { args: async () => ['a'], prints: /points, rank \d+/, lacks: usage }
const checked: Run = { prints: /^/, isChecked: true }
const receiver: Run = { prints: /^Waiting for messages/, lacks: /^WEBHOOK_SECRET is not set: .*\n$/ }

const mirror: Run = { prints: /^\d+ nations, complete up to change \d+/ }
/** The machine's environment without this repository's packages and the variables of the programs. */
const { CHANCERY_URL: _url, CHANCERY_KEY: _key, WEBHOOK_SECRET: _secret, ...ofMachine } = process.env
const environment = {
  ...ofMachine,
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .join(delimiter),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

/** The mirror needs a newer Node than the rest of the client. */
const hasSqlite = await run('node', ['-e', "require('node:sqlite')"], { env: environment }).then(
  () => true,
  () => false,
)

/** The programs of each guide, by file. */
const programs: Record<string, Record<string, Run>> = {
  'your-first-bot': {
    'bot.js': checked,
    'bot.py': checked,
    'feed.js': checked,
    'feed.py': checked,
    'nation.mjs': nation,
    'nation.py': nation,
  },
  'javascript-client': { 'first.mjs': { prints: /\S.*: \d+/ } },
  'python-client': { 'first.py': { prints: /not_found 404/ } },
  'verify-a-nation': {
    'verify.mjs': verify,
    'client.mjs': verify,
    'verify.py': verify,
    'gone.mjs': gone,
    'gone.py': gone,
  },
  'follow-the-war-feed': {
    'poll.mjs': { prints: /^\d+ war\.\w+ \S/m },
    'stream.mjs': { args: async () => ['0'], prints: /^\d+ \S/m },
    'receiver.mjs': receiver,
    'receiver.py': receiver,
  },
  'mirror-the-world': {
    'mirror.mjs': hasSqlite ? mirror : checked,
    'mirror.py': mirror,
    'top.py': { prints: /^1 \S.*\n2 \S.*\n3 \S/ },
    'nations.py': { prints: /^\d+ nations; continue with \/changes\?after=\d+$/m },
  },
  'limits-and-caching': { 'read.mjs': ranking, 'client.mjs': ranking, 'read.py': ranking },
  'scopes-and-privacy': { 'own.mjs': own, 'client.mjs': own, 'own.py': own },
}

const folder = await mkdtemp(join(tmpdir(), 'chancery-reader-'))
// The programs are run one after the other: with the usual limit they would wait for each other.
const settings = { CHANCERY_ANONYMOUS_LIMIT: '1000' }
const demo = await runChancery(['npm', 'start'], { settings, worldFile: 'demo-keys.json' })
try {
  await follow()
} finally {
  await demo.stop()
  await rm(folder, { recursive: true, force: true })
}

async function follow(): Promise<void> {
  const { stdout } = await run('node', ['--version'], { env: environment })
  console.log(`Node ${stdout.trim()}, ${(await run('python3', ['--version'])).stdout.trim()}`)
  const guides = await readGuides()
  // The commands that install the clients.
  for (const name of ['javascript-client', 'python-client']) {
    const [, commands = ''] = /^```\n(.*?)^```$/ms.exec(guides.get(name) ?? '') ?? []
    console.log(commands.trim())
    await run('sh', ['-eu', '-c', commands], { cwd: folder, env: environment })
  }
  // As the guide says of the folder of a bot.
  await run('npm', ['pkg', 'set', 'type=module'], { cwd: folder, env: environment })
  // The feed is read from its beginning.
  await writeFile(join(folder, 'seq.txt'), '0')
  for (const [name, markdown] of guides) {
    const files = [...markdown.matchAll(/<!-- ([\w-]+\.(?:mjs|js|ts|py)) -->/g)].map(([, file = '']) => file)
    const listed = programs[name] ?? {}
    const unknown = files.filter(file => !listed[file])
    const missing = Object.keys(listed).filter(file => !files.includes(file))
    if (unknown.length + missing.length > 0)
      throw new Error(`${name}: not listed in this script: ${unknown}; not in the guide: ${missing}`)
    for (const file of files) await tryProgram(name, file, markedBlock(markdown, file))
  }
}

/** The guides as the service has them for programs, by name. */
async function readGuides(): Promise<Map<string, string>> {
  const text = async (url: string | URL) => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    return response.text()
  }
  const list = await text(new URL('/llms.txt', demo.url))
  const urls = [...list.matchAll(/\((\S+\/docs\/guides\/([\w-]+)\.md)\)/g)]
  return new Map(
    await Promise.all(urls.map(async ([, url = '', name = '']) => [name, await text(url)] as const)),
  )
}

async function tryProgram(guide: string, file: string, text: string): Promise<void> {
  const { args = async () => [], prints, lacks, isChecked } = programs[guide]?.[file] ?? checked
  await writeFile(join(folder, file), text)
  const isPython = file.endsWith('.py')
  const program = isPython ? 'python3' : 'node'
  if (lacks) {
    const child = spawn(program, [file], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    const { printed } = await outputOf(child, lacks)
    if (child.exitCode !== 1 || !lacks.test(printed))
      throw new Error(`${guide}: ${file} without variables and arguments printed\n${printed}`)
  }
  const check = isPython ? ['-m', 'py_compile'] : ['--check']
  const words = isChecked ? [...check, file] : [file, ...(await args({ code }))]
  const child = spawn(program, words, {
    cwd: folder,
    env: {
      ...environment,
      CHANCERY_KEY: await keyOfMember(),
      WEBHOOK_SECRET: 'whsec_c2VjcmV0',
      PORT: '0',
      PYTHONUNBUFFERED: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { printed, failed } = await outputOf(child, prints)
  if (failed || !prints.test(printed)) throw new Error(`${guide}: ${file} printed\n${printed}`)
  console.log(`${guide}: ${file}`)
}

/** What a program prints until it ends or has printed what it should. */
async function outputOf(child: ChildProcess, prints: RegExp): Promise<{ printed: string; failed: boolean }> {
  const closed = once(child, 'close')
  let printed = ''
  let errors = ''
  let isStopped = false
  const stop = () => {
    isStopped = true
    child.kill('SIGTERM')
  }
  const timer = setTimeout(stop, prints.test('') ? 3_000 : 60_000)
  child.stderr?.on('data', part => {
    errors += part
  })
  child.stdout?.on('data', part => {
    printed += part
    if (prints.test(printed)) stop()
  })
  const [status] = await closed
  clearTimeout(timer)
  return { printed: printed + errors, failed: errors !== '' || (!isStopped && status !== 0) }
}

/** A key with every scope, as the developer settings create it. */
async function keyOfMember(): Promise<string> {
  const file = join(String(demo.env.CHANCERY_DATA_DIR), 'demo-keys.json')
  const keys: { kind: string; key: string }[] = JSON.parse(await readFile(file, 'utf8'))
  const found = keys.find(({ kind }) => kind === 'alliance member')
  if (!found) throw new Error(`${file} has no key of a member`)
  return found.key
}

async function code(): Promise<string> {
  const program = join(root, 'cli/bin/chancery.js')
  const words = ['codes', 'issue', '--nation', 'n2', '--for', account, '--json']
  const { stdout } = await run(process.execPath, [program, ...words], { env: demo.env })
  return JSON.parse(stdout).code
}
