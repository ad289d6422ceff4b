// The command line, on a Node that runs TypeScript. Plain JavaScript: Node's TypeScript compiler stays in memory with 20 MB from
// the first source that it compiles (docs/decisions/0033).
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setSourceMapsSupport } from 'node:module'

const root = new URL('../../', import.meta.url)
const source = new URL('cli/src/main.ts', root)
const bundle = new URL('cli/dist/', root)

/** Whether the bundle was built from the present sources. An image has no sources: its bundle is always current. */
function isCurrent() {
  if (!existsSync(source)) return true
  try {
    const digests = JSON.parse(readFileSync(new URL('sources.json', bundle), 'utf8'))
    return Object.entries(digests).every(
      ([file, digest]) => hash('sha256', readFileSync(new URL(file, root))) === digest,
    )
  } catch {
    // Not built, or a source is missing.
    return false
  }
}

if (isCurrent()) {
  // Only our own source maps: maps of generated code, as --enable-source-maps loads them, take 17 MB.
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  await import(new URL('chancery.js', bundle))
} else {
  await import(source)
}
