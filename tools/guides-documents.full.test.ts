/** The programs that documents show are valid. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { contractFor, demoProfile, factTypes } from '@chancery/contract'
import { smallWorld } from '../server/test/http/world.ts'
import { startTestServer } from '../server/test/support/test-server.ts'
import { needs, root, run, runBlock } from './guides/guide.ts'

const documents = globSync(['docs/**/*.md', 'examples/python/*.md', 'game/README.md'], { cwd: root })
const blocks = async (language: string) => {
  const found: { from: string; text: string }[] = []
  for (const from of documents) {
    const markdown = await readFile(join(root, from), 'utf8')
    for (const [, text = ''] of markdown.matchAll(RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')))
      found.push({ from, text })
  }
  return found
}

test('all TypeScript in documents compiles', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-guides-'))
  try {
    const shown = await blocks('ts')
    assert.ok(shown.length >= 1)
    const files = await Promise.all(
      shown.map(async ({ from, text }, index) => {
        const file = join(dir, `${index}-${from.replaceAll('/', '-')}.ts`)
        await writeFile(file, `${text}export {}\n`)
        return file
      }),
    )
    await writeFile(join(dir, 'game-facts.ts'), factTypes(contractFor(demoProfile)))
    const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'))
    const config = join(dir, 'tsconfig.json')
    const typeRoots = [join(root, 'node_modules/@types')]
    const options = { ...compilerOptions, typeRoots, noUnusedLocals: false }
    await writeFile(config, JSON.stringify({ compilerOptions: options, files }))
    await writeFile(join(dir, 'package.json'), '{"type":"module"}')
    await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, '--project', config]).catch(({ stdout }) => assert.fail(stdout))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

test('all Python in documents parses', needs('python3'), async () => {
  const shown = await blocks('python')
  assert.ok(shown.length >= 6)
  for (const { from, text } of shown)
    await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', text]).catch(({ stderr }) =>
      assert.fail(`${from}: ${stderr}`),
    )
})

test('the first program of the Python client’s README runs', needs('python3'), async t => {
  const chancery = await startTestServer()
  t.after(() => chancery.close())
  await chancery.ingest(smallWorld())
  const page = await readFile(join(root, 'examples/python/README.md'), 'utf8')
  const printed = await runBlock(page, 'first.py', { url: chancery.url })
  assert.equal(printed, 'Valdoria 1843.25\nValdoria against Tresk\nnot_found 404\n')
})
