import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

/** Prints at the end whether Node has loaded its TypeScript compiler. */
const watch = `data:text/javascript,process.on('exit', () => console.log(
  process.moduleLoadList.some(name => name.includes('amaro')) ? 'compiler' : 'no compiler'))`

const digestOf = (text: string) => hash('sha256', text)

/** A program that starts like the command line, with a source and a bundle that print which of them runs. */
async function program(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(root, { recursive: true }))
  for (const folder of ['cli/src', 'cli/dist']) await mkdir(join(root, folder), { recursive: true })
  await cp(new URL('../start', import.meta.url), join(root, 'cli/start'), { recursive: true })
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  const source = "const text: string = 'source'\nconsole.log(text)\n"
  await writeFile(join(root, 'cli/src/main.ts'), source)
  await writeFile(join(root, 'cli/dist/chancery.js'), "console.log('bundle')")
  await writeFile(
    join(root, 'cli/dist/sources.json'),
    JSON.stringify({ 'cli/src/main.ts': digestOf(source), 'package.json': digestOf('{ "type": "module" }') }),
  )
  const start = () => {
    const main = join(root, 'cli', 'start', 'main.js')
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', watch, main], {
      encoding: 'utf8',
      // With a cache, the compiler would not be loaded.
      env: { ...process.env, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
    })
    assert.equal(stderr, '')
    return stdout.trim().split('\n')
  }
  return { root, start }
}

test('a current bundle is run, without loading the TypeScript compiler', async t => {
  const { start } = await program(t)
  assert.deepEqual(start(), ['bundle', 'no compiler'])
})

test('sources are run if they have changed since the bundle was built', async t => {
  const { root, start } = await program(t)
  await appendFile(join(root, 'cli/src/main.ts'), '\n')
  assert.deepEqual(start(), ['source', 'compiler'])
})

test('sources are run if package.json has changed or a source is missing', async t => {
  const { root, start } = await program(t)
  await writeFile(join(root, 'package.json'), '{ "type": "module", "version": "2.0.0" }')
  assert.deepEqual(start(), ['source', 'compiler'])
  await writeFile(join(root, 'cli/dist/sources.json'), '{ "cli/src/gone.ts": "" }')
  assert.deepEqual(start(), ['source', 'compiler'])
})

test('sources are run without a complete bundle', async t => {
  const { root, start } = await program(t)
  await rm(join(root, 'cli/dist/sources.json'))
  assert.deepEqual(start(), ['source', 'compiler'])
  await rm(join(root, 'cli/dist'), { recursive: true })
  assert.deepEqual(start(), ['source', 'compiler'])
})

test('a bundle without sources, as in the image, is run', async t => {
  const { root, start } = await program(t)
  await rm(join(root, 'cli/src'), { recursive: true })
  await rm(join(root, 'cli/dist/sources.json'))
  assert.deepEqual(start(), ['bundle', 'no compiler'])
})
