import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildPackage } from '../../tools/release/build-package.ts'
import { good, startScriptedServer } from './support/scripted-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

let dir: string
/** An empty project into which the packed client was installed. */
let project: string
let packed: string[]

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chancery-pack-'))
  project = join(dir, 'project')
  await mkdir(project)
  buildPackage('client', join(dir, 'dist'))
  const { stdout } = await run('npm', ['pack', join(dir, 'dist'), '--pack-destination', dir, '--json'], {
    cwd: dir,
  })
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  packed = files.map(({ path }) => path)
  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(dir, filename)], { cwd: project })
})
after(() => rm(dir, { recursive: true, force: true }))

const installed = () => join(project, 'node_modules/@chancery/client')

/** Compiles files of the project as strictly as TypeScript can, the client's declarations too. */
async function compile(files: Record<string, string>, options: object): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
  const compilerOptions = {
    target: 'es2022',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    ...options,
  }
  const config = { compilerOptions, files: Object.keys(files) }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  await run(process.execPath, [tsc, '--project', project]).catch(({ stdout }) => assert.fail(stdout))
}

/** A project that has the names of Node, and not those of browsers. */
const onNode = {
  module: 'nodenext',
  lib: ['es2023'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  noEmit: true,
}

const program = `
import { Chancery, type ChanceryEvent, ChanceryError, type War } from '@chancery/client'
const client = new Chancery({ baseUrl: process.argv[2] ?? '' })
const { name } = await client.game.get({ signal: AbortSignal.timeout(5_000) })
const first = async (): Promise<War | undefined> => (await client.wars.list({ status: 'active' })).data[0]
const text = (event: ChanceryEvent): string => event.type === 'war.ended' ? String(event.data.outcome) : event.summary
// @ts-expect-error A status that no war has.
const wrong = () => client.wars.list({ status: 'over' })
// @ts-expect-error What is withheld may be missing.
const tanks = async (): Promise<number> => (await client.me.nation()).military.units.tanks
console.log(name, typeof first, typeof text, typeof wrong, typeof tanks, new ChanceryError('', { code: 'x' }).name)
`
const said = 'Meridian function function function function ChanceryError\n'
const ofNode = 'declare const process: { argv: string[] }\n'

test('the package contains JavaScript, declarations, maps, sources and documents, and has no dependencies', async () => {
  assert.ok(packed.includes('index.js') && packed.includes('index.d.ts') && packed.includes('README.md'))
  const others = packed.filter(path => !/^[\w-]+\.(js|d\.ts)(\.map)?$|^src\//.test(path))
  assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json'])
  const manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'))
  for (const list of ['dependencies', 'peerDependencies', 'devDependencies', 'scripts', 'private'])
    assert.equal(manifest[list], undefined, list)
  const maps = packed.filter(name => name.endsWith('.map'))
  assert.ok(maps.length >= 2 * packed.filter(name => name.endsWith('.js')).length)
  for (const path of maps) {
    const { sources } = JSON.parse(readFileSync(join(installed(), path), 'utf8')) as { sources: string[] }
    for (const source of sources) assert.ok(packed.includes(source), `${path} leads to ${source}`)
  }
  for (const path of packed.filter(name => name.endsWith('.js')))
    for (const [, from] of readFileSync(join(installed(), path), 'utf8').matchAll(
      /(?:from|import)\s*\(?['"]([^'"]+)/g,
    ))
      assert.match(from ?? '', /^\.\/[\w-]+\.js$/, path)
})

test('its sources use only names that browsers have too', async () => {
  const flags = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--allowImportingTsExtensions']
  const platform = ['--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--types', '']
  const sources = packed.filter(name => name.startsWith('src/')).map(name => join(installed(), name))
  assert.ok(sources.length > 10)
  await run(process.execPath, [tsc, '--ignoreConfig', ...flags, ...platform, ...sources], {
    cwd: project,
  }).catch(({ stdout }) => assert.fail(stdout))
})

test('without the mirror, which is loaded when it is used, it is smaller than 11 kB, gzipped and not minified', () => {
  const text = readdirSync(installed())
    .filter(name => name.endsWith('.js') && !name.startsWith('mirror'))
    .map(name => readFileSync(join(installed(), name)))
  const bytes = gzipSync(Buffer.concat(text), { level: 9 }).length
  assert.ok(bytes < 11_000 && bytes > 5_000, `${bytes} bytes`)
})

/** This Node, and the one of the machine where it is another that the client is for. */
const nodes = [process.execPath, ...others()]

function others(): string[] {
  const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  const { stdout } = spawnSync('node', ['-p', 'process.execPath + process.version'], {
    encoding: 'utf8',
    env: { PATH: path.join(delimiter) },
  })
  const [, program, major] = /^(.+)v(\d+)\./.exec(stdout ?? '') ?? []
  return program && program !== process.execPath && Number(major) >= 20 ? [program] : []
}

for (const [resolution, module] of [
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
] as const) {
  test(`an empty strict project compiles and runs with it (moduleResolution ${resolution})`, async t => {
    const { url } = await startScriptedServer(t, good)
    await compile({ 'main.ts': ofNode + program }, { module, moduleResolution: resolution })
    t.diagnostic(`run by ${nodes.join(' and ')}`)
    for (const node of nodes) {
      const { stdout } = await run(node, [join(project, 'main.js'), url])
      assert.equal(stdout, said, node)
    }
  })
}

test('it compiles with the types of Node in place of those of browsers', () =>
  compile({ 'node.ts': program }, onNode))

test('each example of the README compiles by itself', async () => {
  const readme = readFileSync(join(installed(), 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, text]) => text ?? '')
  assert.ok(blocks.length >= 6)
  const files = blocks.map((block, index) => [`readme-${index}.ts`, block])
  await compile(Object.fromEntries(files), onNode)
})
