/**
 * Runs the tests of all workspaces, or of the files and patterns given.
 * With --external: what speaks to a database or a Redis, against ones that run already, on their usual ports where the
 * environment names no others.
 * With --faults: the tests that let parts fail or draw worlds by chance, one file after the other, and in full: oftener, longer and with
 * more.
 * With --twice: what failed is run once more, file by file, and decides by that; what passed only then is named at the end.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { databaseBound } from './database-bound.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const all = [
  '!(acceptance|node_modules)/test/**/*.test.ts',
  'examples/*/test/**/*.test.ts',
  'tools/**/*.test.ts',
]
/** Each file is a process, and many start further ones: what one has compiled, the next need not. */
const compiled = { NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compile') }
const external = {
  CHANCERY_TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres',
  CHANCERY_TEST_VALKEY_URL: 'redis://127.0.0.1:6379',
}

/** With them what is drawn by chance: in each other run a few. */
const faults = [
  'server/test/faults/**/*.test.ts',
  'connect/test/crash.test.ts',
  'server/test/disclosure/non-interference.test.ts',
  'server/test/{profile,redaction}/random-worlds.test.ts',
]
const inFull = { CHANCERY_FAULTS: 'full', CHANCERY_TEST_FILE_MINUTES: '60' }
/** The slowest file takes two minutes on a machine that does nothing else. */
const limited = { CHANCERY_TEST_FILE_MINUTES: '12' }

/**
 * Half of the time a file waits: for a process that starts, a round that comes, a second that passes. More than eight would need more
 * connections than a database lets in.
 */
const filesAtOnce = Math.min(2 * availableParallelism(), 8)

const args = process.argv.slice(2)
const isExternal = args.includes('--external')
const isFaults = args.includes('--faults')
const isTwice = args.includes('--twice')
const patterns = args.filter(arg => !arg.startsWith('--'))

interface Run {
  readonly code: number
  /** Absolute paths. */
  readonly failed: readonly string[]
}

// The runner tidies up when it is interrupted: wait for it.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

async function run(files: readonly string[], concurrency: number): Promise<Run> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'chancery-tests-'))
  const list = path.join(scratch, 'failed')
  const runner = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./tools/failed-files.ts',
      `--test-reporter-destination=${list}`,
      `--test-concurrency=${concurrency}`,
      '--test-timeout=240000',
      '--import=./tools/file-limit.ts',
      '--test-global-setup=server/test/support/global-setup.ts',
      ...files,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...compiled, ...limited, ...(isExternal && external), ...(isFaults && inFull), ...process.env },
    },
  )
  const stop = () => {
    isInterrupted = true
    runner.kill('SIGTERM')
  }
  process.on('SIGTERM', stop)
  const code = await new Promise<number>(resolve => {
    runner.on('exit', code => resolve(code ?? 1))
  })
  process.off('SIGTERM', stop)
  const failed = await readFile(list, 'utf8').catch(() => '')
  await rm(scratch, { recursive: true, force: true })
  return { code, failed: failed.split('\n').filter(Boolean) }
}

const usual = isFaults ? faults : isExternal ? databaseBound(root) : all
const first = await run(patterns.length > 0 ? patterns : usual, isFaults ? 1 : filesAtOnce)
process.exitCode = first.code
// Where many fail, chance is not the reason.
if (isTwice && !isInterrupted && first.failed.length > 0 && first.failed.length <= 5) {
  const names = first.failed.map(file => path.relative(root, file)).join('\n  ')
  console.log(`\nOnce more, one after the other:\n  ${names}`)
  const second = await run(first.failed, 1)
  process.exitCode = second.code
  if (second.code === 0) console.log(`\nPassed only when run once more:\n  ${names}`)
}
