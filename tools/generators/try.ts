/**
 * Generates a client from contract/openapi.json with each generator of package.json, compiles it with a program that uses it, and
 * runs the program against a demo. All in a temporary folder; nothing is installed into the repository. Exits 1 naming the step that
 * failed. OPENAPI_DOCUMENT names another document.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markedBlock, readGuide } from '../guides/guide.ts'
import { root, runChancery } from '../smoke/running-chancery.ts'

const document = process.env.OPENAPI_DOCUMENT ?? join(root, 'contract/openapi.json')
const packages = 'node_modules'

/** The generators, by the name of their program: the script and its arguments. */
const generators: Record<string, string[]> = {
  'openapi-fetch': [
    'openapi-typescript/bin/cli.js',
    'openapi.json',
    '--output',
    'generated/openapi-typescript.ts',
  ],
  orval: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
  'hey-api': ['@hey-api/openapi-ts/bin/run.js', '--file', 'hey-api.config.mjs'],
}

const began = performance.now()
const folder = await mkdtemp(join(tmpdir(), 'chancery-generators-'))
const demo = startDemo()
// Its failure is reported below, when the installation has ended.
demo.catch(() => {})
try {
  await install()
  await tryAll((await demo).url)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await demo.then(({ stop }) => stop()).catch(() => {})
  await rm(folder, { recursive: true, force: true })
}

function startDemo() {
  return runChancery([process.execPath, 'cli/start/main.js', 'demo', '--nations', '60'], {
    worldFile: 'demo-keys.json',
  })
}

/** Scripts of packages are not run: they are untrusted code, and the generators work without. */
async function install(): Promise<void> {
  await cp(import.meta.dirname, folder, {
    recursive: true,
    filter: path => !path.startsWith(join(import.meta.dirname, packages)),
  })
  await cp(document, join(folder, 'openapi.json'))
  await step('npm ci', 'npm', ['ci', '--ignore-scripts'])
}

async function tryAll(url: string): Promise<void> {
  const programs = (await readdir(join(folder, 'programs'))).map(file => file.replace(/\.ts$/, ''))
  const unknown = Object.keys(generators).filter(name => !programs.includes(name))
  if (unknown.length > 0) throw new Error(`programs/ has no program for ${unknown.join(', ')}`)
  await writeFile(join(folder, 'programs/guide.ts'), await guideProgram(url))
  const env = { API_URL: url }
  for (const [name, [script = '', ...args]] of Object.entries(generators))
    await step(`generate ${name}`, process.execPath, [join(packages, script), ...args], env)
  await step('compile', process.execPath, [join(packages, 'typescript/bin/tsc'), '--project', '.'])
  for (const name of [...Object.keys(generators), 'guide'])
    await step(`run ${name}`, process.execPath, [join('compiled/programs', `${name}.js`)], env)
}

/** The example of docs/guides/stability.md, for the demo. */
async function guideProgram(url: string): Promise<string> {
  const program = markedBlock(await readGuide('stability'), 'openapi-fetch')
  return program
    .replace('http://127.0.0.1:8080', url)
    .replace('./api.js', '../generated/openapi-typescript.js')
}

/** Runs a program in the folder. Throws with its output if it fails. */
async function step(name: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  let output = ''
  const child = execFile(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    shell: process.platform === 'win32' && program === 'npm',
    maxBuffer: 2 ** 26,
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', text => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} failed:\n${output.trimEnd()}`)
  console.log(`ok ${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${name}`)
}
