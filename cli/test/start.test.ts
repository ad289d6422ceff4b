import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

/** Says at the end whether Node has read its compiler of TypeScript. */
const watch = `data:text/javascript,process.on('exit', () => console.log(
  process.moduleLoadList.some(name => name.includes('amaro')) ? 'compiler' : 'no compiler'))`

/** A program that starts as the command line does, and says what it is told to. */
async function program(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'chancery-cli-'))
  t.after(() => rm(root, { recursive: true }))
  await cp(new URL('../start', import.meta.url), join(root, 'cli', 'start'), { recursive: true })
  await mkdir(join(root, 'cli', 'src'))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  const says = (words: string) =>
    writeFile(
      join(root, 'cli', 'src', 'main.ts'),
      `const words: string = '${words}'\nconsole.log(words)\nthrow new Error(words)`,
    )
  const start = () => {
    const main = join(root, 'cli', 'start', 'main.js')
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', watch, main], { encoding: 'utf8' })
    return { lines: stdout.trim().split('\n'), messages: stderr }
  }
  return { root, says, start }
}

test('a start holds no compiler of TypeScript, nor does the first one', async t => {
  const { says, start } = await program(t)
  await says('ready')
  assert.deepEqual(start().lines, ['ready', 'no compiler'])
  assert.deepEqual(start().lines, ['ready', 'no compiler'])
})

test('a source that has changed is run as it is now', async t => {
  const { says, start } = await program(t)
  await says('before')
  start()
  await says('after')
  assert.deepEqual(start().lines, ['after', 'no compiler'])
})

test('where nothing can be kept, all works as without', async t => {
  const { root, says, start } = await program(t)
  await says('ready')
  await writeFile(join(root, 'node_modules'), '')
  assert.deepEqual(start().lines, ['ready', 'compiler'])
})

test('an error names the line of the source as it was written', async t => {
  const { says, start } = await program(t)
  await says('wrong')
  const { messages } = start()
  assert.match(messages, /cli\/src\/main\.ts:3:7/)
  assert.doesNotMatch(messages, /Warning/)
})
