import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** The URLs of files that Node has loaded after these lines. */
function loadedBy(lines: string): string {
  const watched = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context) } })
    ${lines}
    process.stdout.write([...loaded].join('\\n'), () => process.exit(0))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', watched], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  })
  assert.equal(status, 0, stderr)
  return stdout
}

test('serve loads no code of other commands', () => {
  const loaded = loadedBy(`
    const { runCommandLine } = await import(${from('../src/command-line.ts')})
    const quiet = { write: () => true }
    await runCommandLine(['serve', '--help'], { env: {}, input: process.stdin, output: quiet, messages: quiet })`)
  assert.match(loaded, /cli\/src\/commands\/serve\.ts$/m)
  assert.deepEqual(
    loaded.match(/(?:cli\/src\/commands\/(?!serve)|cli\/src\/demo|simulator|connect)\/.*/g),
    null,
  )
})

test('rarely used packages are not loaded at startup', () => {
  const loaded = loadedBy(`await import(${from('../../server/src/index.ts')})`)
  assert.match(loaded, /node_modules\/fastify\//)
  assert.deepEqual(loaded.match(/node_modules\/(?:undici|ioredis|marked)\/.*/g), null)
})
