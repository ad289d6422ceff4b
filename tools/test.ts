/**
 * Runs the tests of all workspaces, or of the files and patterns given.
 * With --external: against a PostgreSQL and a Redis that run already, on their usual ports where the environment names no others.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const all = [
  '!(acceptance|node_modules)/test/**/*.test.ts',
  'examples/*/test/**/*.test.ts',
  'tools/**/*.test.ts',
]
const external = {
  CHANCERY_TEST_DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/postgres',
  CHANCERY_TEST_VALKEY_URL: 'redis://127.0.0.1:6379',
}

const args = process.argv.slice(2)
const isExternal = args.includes('--external')
const patterns = args.filter(arg => arg !== '--external')

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=2',
    '--test-timeout=240000',
    '--test-global-setup=server/test/support/global-setup.ts',
    ...(patterns.length > 0 ? patterns : all),
  ],
  { cwd: root, stdio: 'inherit', env: { ...(isExternal && external), ...process.env } },
)
// The runner tidies up when it is interrupted: wait for it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => runner.kill('SIGTERM'))
runner.on('exit', code => {
  process.exitCode = code ?? 1
})
