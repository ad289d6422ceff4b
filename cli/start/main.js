// The command line, on a Node that runs TypeScript. Plain JavaScript: Node's compiler of TypeScript takes 20 MB, and stays in
// memory, from the first source that it reads (docs/decisions/0033).
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setSourceMapsSupport } from 'node:module'

const root = new URL('../../', import.meta.url)
const source = new URL('cli/src/main.ts', root)
const bundle = new URL('cli/dist/', root)

/** Whether the bundle was made from the sources as they are. An image has none: there it was made from those of the image. */
function isCurrent() {
  if (!existsSync(source)) return true
  try {
    const digests = JSON.parse(readFileSync(new URL('sources.json', bundle), 'utf8'))
    return Object.entries(digests).every(
      ([file, digest]) => hash('sha256', readFileSync(new URL(file, root))) === digest,
    )
  } catch {
    // Not built, or a source is gone.
    return false
  }
}

if (isCurrent()) {
  // Our own maps alone: looking for maps in code that is made while it runs, as --enable-source-maps does, takes 17 MB.
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false })
  await import(new URL('chancery.js', bundle))
} else {
  await import(source)
}
