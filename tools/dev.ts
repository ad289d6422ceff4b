/**
 * Runs the demo, and starts it again when a source changes. The page at /developers is built again when its sources change.
 * Options after `--` are passed to the demo: npm run dev -- --nations 5000
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const folders = ['cli', 'connect', 'contract', 'docs', 'portal', 'server', 'simulator']
const isSource = (file: string) =>
  /^(\w+\/(src|start)\/|docs\/|contract\/[\w.]+$|portal\/[\w.]+$)/.test(file) &&
  /\.(ts|tsx|js|css|sql|json|html|md|svg)$/.test(file)
const isOfPage = (file: string) => /^(portal|contract)\//.test(file)
/** Files that are saved together, as by a checkout, cause one restart. */
const quietMs = 200
const parentCheckMs = 500
/** Shares compiled code between starts. */
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') }

const watched = new Set<string>()
let child: ChildProcess | undefined
let isStopping = false
let mustBuildPage = true
let changed: string | undefined
let pending: NodeJS.Timeout | undefined
/** Restarts run one after another. */
let work = Promise.resolve()

function run(words: string[]): Promise<number | null> {
  const started = spawn(process.execPath, words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...compiled, ...process.env },
  })
  child = started
  return new Promise(resolve => {
    started.once('error', () => resolve(null))
    started.once('exit', code => {
      if (child === started) child = undefined
      resolve(code)
    })
  })
}

async function stop(): Promise<void> {
  const running = child
  child = undefined
  if (running === undefined) return
  const exited = once(running, 'exit')
  running.kill('SIGINT')
  await exited
}

async function start(): Promise<void> {
  if (mustBuildPage) {
    mustBuildPage = false
    if ((await run(['portal/build.ts'])) !== 0) log('the page at /developers is not built: see above')
  }
  if (isStopping) return
  const demo = run(['--enable-source-maps', 'cli/src/main.ts', 'demo', ...process.argv.slice(2)])
  const started = child
  demo.then(code => {
    if (!isStopping && (child === undefined || child === started) && code !== 0)
      log('the demo has ended: it starts again when a source changes')
  })
}

async function restart(): Promise<void> {
  if (isStopping || changed === undefined) return
  log(`restarting: ${changed} has changed`)
  changed = undefined
  watchFolders()
  await stop()
  await start()
}

function onChange(file: string): void {
  if (!isSource(file)) return
  changed = file
  mustBuildPage ||= isOfPage(file)
  clearTimeout(pending)
  pending = setTimeout(() => {
    work = work.then(restart)
  }, quietMs)
}

/** Each folder by itself: the recursive watch of Node on Linux loses a file that is replaced, as most editors do. */
function watchFolders(): void {
  const found = globSync(
    folders.map(folder => `${folder}/**/`),
    {
      cwd: root,
      exclude: name => /(^|\/)(node_modules|dist|test)$/.test(name),
    },
  )
  for (const folder of found) {
    if (watched.has(folder)) continue
    const watcher = watch(join(root, folder), (_, name) =>
      onChange(`${folder}/${name}`.replaceAll('\\', '/')),
    )
    watcher.on('error', () => watched.delete(folder))
    watched.add(folder)
  }
}

function log(message: string): void {
  console.error(`dev: ${message}`)
}

function end(): void {
  if (isStopping) return
  isStopping = true
  stop().then(() => process.exit(0))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
// npm runs this through a shell, which a signal to npm ends without passing it on.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) end()
}, parentCheckMs)

watchFolders()
await start()
