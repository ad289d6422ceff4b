/**
 * Runs the acceptance tests against the Chancery at --base-url URL, or without it against a demo of its own.
 * The tests find it by CHANCERY_ACCEPTANCE_URL; of a demo of its own also the data directory, with its keys, by CHANCERY_DATA_DIR.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { root, runChancery } from './trial/running-chancery.ts'

const { values } = parseArgs({ options: { 'base-url': { type: 'string' } } })
const files = globSync('acceptance/{src,test}/**/*.test.ts', { cwd: root })
if (files.length === 0) throw new Error('acceptance/ holds no test')

process.exitCode = await (values['base-url'] ? runTests(values['base-url'], process.env) : runOnDemo())

async function runOnDemo(): Promise<number> {
  const demo = await runChancery(['npm', 'start'], { worldFile: 'demo-keys.json' })
  try {
    return await runTests(demo.url, demo.env)
  } finally {
    await demo.stop()
  }
}

async function runTests(url: string, env: NodeJS.ProcessEnv): Promise<number> {
  const runner = spawn(process.execPath, ['--test', '--test-reporter=spec', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...env, CHANCERY_ACCEPTANCE_URL: url },
  })
  const [code] = await once(runner, 'exit')
  return code ?? 1
}
