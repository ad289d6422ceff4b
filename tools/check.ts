/**
 * Runs every check that is not a test, in parallel: one line each, and the output of those that fail.
 * With --fast: format, lint and types only, of the files that differ from the last commit (or from `--since REVISION`).
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({
  options: { fast: { type: 'boolean', default: false }, since: { type: 'string', default: 'HEAD' } },
})

/** The compiler checks only files that a change affects. Its cache is below node_modules, which `npm ci` empties. */
const compile = (project: string, cache: string) => [
  'tsc',
  '--project',
  project,
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/typescript/${cache}.tsbuildinfo`,
]
const types = compile('.', 'all')
const pageTypes = compile('portal', 'portal')

/** The longest first: they end together. */
const steps: Record<string, string[]> = {
  types,
  'types of the page': pageTypes,
  'schema.sql': ['node', 'tools/dump-schema.ts', '--check'],
  'OpenAPI documents': ['node', 'tools/lint-openapi.ts'],
  'import rules': ['node', 'tools/import-rules/check-imports.ts'],
  'unused files, exports and packages': ['knip'],
  'format and lint': ['biome', 'check', '--error-on-warnings'],
  'files generated from the contract': ['node', 'contract/src/generate.ts', '--check'],
  'client generated from the contract': ['node', 'client/generate/main.ts', '--check'],
  'replaced words': ['node', 'tools/check-words.ts'],
  'lockfile for all platforms': ['node', 'tools/complete-lockfile.ts', '--check'],
}

/** The steps of `--fast`. Types are those of a whole project: a change is often wrong where it is used. */
function fastSteps(files: readonly string[]): typeof steps {
  const isTyped = files.some(file => /\.(ts|tsx|json)$/.test(file))
  return {
    ...(isTyped && { types }),
    ...(files.some(file => /^(portal|contract)\//.test(file)) && { 'types of the page': pageTypes }),
    ...(files.length > 0 && {
      'format and lint': [
        'biome',
        'check',
        '--error-on-warnings',
        '--no-errors-on-unmatched',
        '--files-ignore-unknown=true',
        ...files,
      ],
    }),
  }
}

/** Changed, staged and new files that still exist. */
function changedFiles(revision: string): string[] {
  const list = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  const changed = list('diff', '--name-only', '-z', revision, '--')
  const added = list('ls-files', '--others', '--exclude-standard', '-z')
  return [...changed, ...added].filter(file => existsSync(join(root, file)))
}

interface Outcome {
  isGood: boolean
  output: string
  seconds: number
}

function run([program = '', ...words]: string[]): Promise<Outcome> {
  const began = performance.now()
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  // Programs of packages are scripts for a shell on Windows.
  const child = spawn(program, words, {
    cwd: root,
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: path },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code =>
      resolve({ isGood: code === 0, output, seconds: (performance.now() - began) / 1000 }),
    )
  })
}

const chosen = values.fast ? fastSteps(changedFiles(values.since)) : steps
if (Object.keys(chosen).length === 0) console.log(`no file differs from ${values.since}`)

const outcomes = await Promise.all(
  Object.entries(chosen).map(async ([name, words]) => {
    const outcome = await run(words)
    console.log(`${outcome.isGood ? 'ok  ' : 'FAIL'} ${outcome.seconds.toFixed(1).padStart(5)} s  ${name}`)
    return { name, words, ...outcome }
  }),
)

for (const { name, words, output } of outcomes.filter(({ isGood }) => !isGood)) {
  console.log(`\n${name}: ${words.join(' ')}\n\n${output.trimEnd()}`)
  process.exitCode = 1
}
