/**
 * Runs tests: the quick tier, or the files and patterns given.
 *
 *   --full      all tests, also those in `*.full.test.ts`, with twenty times as many random worlds
 *   --rest      with --full: leaves out files that the quick tier runs in the same way
 *   --external  those quick tests of server, connect and cli that depend on a database, against an existing PostgreSQL and Redis
 *   --faults    fault injection and random worlds, one file after another, ten times as long
 *   --costs     lists at the end which files took the most processor time
 *   --test-…    is passed on to Node's test runner
 *
 * Files of the quick tier share a few processes, because loading the server takes longer than most of them; a file of the full tier
 * has one of its own.
 */
import { spawn } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const all = [
  '!(acceptance|node_modules)/test/**/*.test.ts',
  'examples/*/test/**/*.test.ts',
  'tools/**/*.test.ts',
]
const faults = [
  'server/test/faults/**/*.test.ts',
  'connect/test/crash.full.test.ts',
  'server/test/disclosure/non-interference.test.ts',
  'server/test/{profile,redaction}/random-worlds*.test.ts',
]
/**
 * Fault tests start their own servers to break them. Pages, and what a response is like besides its content, do not depend on them;
 * the statements behind them are those of the other tests.
 */
const external = [
  '{server,connect,cli}/test/{*,!(browser|embedded|faults|http|telemetry)/**/*}.test.ts',
  'server/test/http/limits.test.ts',
]
const externalServers = {
  CHANCERY_TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres',
  CHANCERY_TEST_VALKEY_URL: 'redis://127.0.0.1:6379',
}
/** More than eight would exceed the connection limit of a database. A test waits half of its time. */
const processesMax = Math.min(2 * availableParallelism(), 8)

const args = process.argv.slice(2)
const patterns = args.filter(arg => !arg.startsWith('--'))
const isFull = args.includes('--full')
const isRest = args.includes('--rest')
const isExternal = args.includes('--external')
const isFaults = args.includes('--faults')
const isCounted = args.includes('--costs')

const isOfFullTier = (file: string) => file.endsWith('.full.test.ts')

function chosenFiles(): string[] {
  if (patterns.length > 0) return globSync(patterns, { cwd: root })
  if (isFaults) return globSync(faults, { cwd: root })
  const files = globSync(isExternal ? external : all, { cwd: root })
  if (!isFull) return files.filter(file => !isOfFullTier(file))
  return isRest ? files.filter(file => isOfFullTier(file) || knowsTier(path.join(root, file))) : files
}

const knowing = new Map<string, boolean>()

/** Whether a test or one of its helpers reads the tier. */
function knowsTier(file: string): boolean {
  const known = knowing.get(file)
  if (known !== undefined) return known
  knowing.set(file, false)
  const text = readFileSync(file, 'utf8')
  const helpers = [...text.matchAll(/(?:from|import) '(\.[^']+\.ts)'/g)]
    .map(([, name = '']) => path.join(path.dirname(file), name))
    .filter(helper => /^(?:tools|.*\/test)\//.test(path.relative(root, helper).replaceAll('\\', '/')))
  const knows = text.includes('CHANCERY_TEST_TIER') || helpers.some(knowsTier)
  knowing.set(file, knows)
  return knows
}

const scratch = await mkdtemp(path.join(tmpdir(), 'chancery-tests-'))
const costs = path.join(scratch, 'costs')

/** Programs that run the files of the quick tier, each the next unclaimed one. */
async function shareProcesses(files: readonly string[], processes: number): Promise<string[]> {
  await mkdir(path.join(scratch, 'claimed'))
  await writeFile(path.join(scratch, 'files'), files.join('\n'))
  const program = pathToFileURL(path.join(root, 'tools/run-test-files.ts')).href
  const programs = Array.from({ length: Math.min(processes, files.length) }, (_, index) =>
    path.join(scratch, `process-${index + 1}.test.mjs`),
  )
  for (const file of programs) await writeFile(file, `await import('${program}')\n`)
  return programs
}

const sizeOf = (file: string) => statSync(path.join(root, file)).size

// The largest first: they take the longest, and so all processes end at about the same time.
const files = chosenFiles().sort((one, other) => sizeOf(other) - sizeOf(one))
if (files.length === 0) throw new Error(`no test file matches ${patterns.join(' ')}`)
const alone = files.filter(file => isFaults || isOfFullTier(file))
const together = files.filter(file => !alone.includes(file))
const processes = isFaults ? 1 : processesMax

const runner = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${processes}`,
    '--test-timeout=600000',
    '--import=./tools/file-limit.ts',
    '--test-global-setup=server/test/support/global-setup.ts',
    ...args.filter(arg => arg.startsWith('--test-')),
    ...(await shareProcesses(together, processes)),
    ...alone,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      // Shares compiled code between processes.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compile'),
      CHANCERY_TEST_TIER: isFaults ? 'long' : isFull ? 'full' : 'quick',
      CHANCERY_TEST_FILE_MINUTES: isFaults ? '60' : '12',
      ...(isExternal && externalServers),
      ...process.env,
      CHANCERY_TEST_SCRATCH: scratch,
    },
  },
)
// The runner cleans up when it is interrupted: wait for it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => runner.kill('SIGTERM'))
process.exitCode = await new Promise<number>(resolve => {
  runner.on('exit', code => resolve(code ?? 1))
})
if (isCounted) {
  const lines = (await readFile(costs, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const counted = lines.map(line => JSON.parse(line) as { file: string; cpu: number; wall: number })
  counted.sort((a, b) => b.cpu - a.cpu)
  console.log('\nProcessor seconds, elapsed seconds, file:')
  for (const { file, cpu, wall } of counted.slice(0, 50))
    console.log(`${cpu.toFixed(1).padStart(6)} ${wall.toFixed(1).padStart(6)}  ${file}`)
}
await rm(scratch, { recursive: true, force: true })
