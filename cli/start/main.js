// The command line, on a Node that runs TypeScript. Plain JavaScript: Node's compiler of TypeScript takes 20 MB and stays in
// memory, so another process takes the types away, and this one reads what that has kept (docs/decisions/0018).
import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readKept } from './kept-sources.js'

let isKept = false

/** Once: where nothing can be written, nothing is kept, and Node reads each source by itself. */
function keepOnce() {
  if (isKept) return
  isKept = true
  const program = join(import.meta.dirname, 'keep-sources.js')
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], { stdio: 'ignore' })
}

function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  let source = readKept(file)
  if (source === undefined) {
    keepOnce()
    source = readKept(file)
  }
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
}

registerHooks({ load })
await import('../src/main.ts')
