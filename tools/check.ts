/** Runs every check that is not a test, all at once: one line each, and the output of those that fail. */
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

/** The longest first: they end together. */
const steps = {
  types: 'tsc --project .',
  'types of the page': 'tsc --project portal',
  'schema.sql': 'node tools/dump-schema.ts --check',
  'documents of the API, as others lint them': 'node tools/lint-openapi.ts',
  'import rules': 'node tools/import-rules/check-imports.ts',
  'unused files, exports and packages': 'knip',
  'format and lint': 'biome check --error-on-warnings',
  'files made from the contract': 'node contract/src/generate.ts --check',
  'client made from the contract': 'node client/generate/main.ts --check',
  'lockfile for all platforms': 'node tools/complete-lockfile.ts --check',
}

interface Outcome {
  isGood: boolean
  output: string
  seconds: number
}

function run(command: string): Promise<Outcome> {
  const began = performance.now()
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const child = spawn(command, { cwd: root, shell: true, env: { ...process.env, PATH: path } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code =>
      resolve({ isGood: code === 0, output, seconds: (performance.now() - began) / 1000 }),
    )
  })
}

const outcomes = await Promise.all(
  Object.entries(steps).map(async ([name, command]) => {
    const outcome = await run(command)
    console.log(`${outcome.isGood ? 'ok  ' : 'FAIL'} ${outcome.seconds.toFixed(1).padStart(5)} s  ${name}`)
    return { name, command, ...outcome }
  }),
)

for (const { name, command, output } of outcomes.filter(({ isGood }) => !isGood)) {
  console.log(`\n${name}: ${command}\n\n${output.trimEnd()}`)
  process.exitCode = 1
}
