/**
 * Runs the acceptance tests against the server at --base-url URL, or without it against a demo of its own.
 * Tests of codes and keys use the operator API: --operator-url URL --operator-token TOKEN, or --data-dir DIR where
 * the server stores both. With --key KEY alone, the tests that need more than a key are skipped with their reason.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { root, runChancery } from './smoke/running-chancery.ts'

/** The environment variable of each option. */
const variables = {
  'base-url': 'CHANCERY_ACCEPTANCE_URL',
  key: 'CHANCERY_ACCEPTANCE_KEY',
  'operator-url': 'CHANCERY_ACCEPTANCE_OPERATOR_URL',
  'operator-token': 'CHANCERY_ACCEPTANCE_OPERATOR_TOKEN',
  'data-dir': 'CHANCERY_DATA_DIR',
} as const
const options = Object.fromEntries(Object.keys(variables).map(name => [name, { type: 'string' as const }]))
const { values } = parseArgs({ options })
const given = Object.fromEntries(
  Object.entries(variables).flatMap(([name, variable]) => {
    const value = values[name]
    return typeof value === 'string' ? [[variable, value]] : []
  }),
)
const files = globSync('acceptance/{src,test}/**/*.test.ts', { cwd: root })
if (files.length === 0) throw new Error('acceptance/ has no tests')

process.exitCode = await (given.CHANCERY_ACCEPTANCE_URL
  ? runTests({ ...process.env, ...given })
  : runOnDemo())

async function runOnDemo(): Promise<number> {
  const demo = await runChancery(['npm', 'start'], { worldFile: 'demo-keys.json' })
  try {
    return await runTests({ ...demo.env, CHANCERY_ACCEPTANCE_URL: demo.url })
  } finally {
    await demo.stop()
  }
}

async function runTests(env: NodeJS.ProcessEnv): Promise<number> {
  const runner = spawn(process.execPath, ['--test', '--test-reporter=spec', ...files], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  const [code] = await once(runner, 'exit')
  return code ?? 1
}
