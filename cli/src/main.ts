import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// What Node makes of the sources is kept beside the packages, where only who installs may write. A start that finds it does not
// load the compiler of TypeScript, which would stay: 15 MB less. Where it cannot be written, all works as without.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/chancery', import.meta.url)))
const { runCommandLine } = await import('./command-line.ts')

// A reader that has seen enough (`chancery simulate … | head`) is no failure.
process.stdout.on('error', err => {
  if ('code' in err && err.code === 'EPIPE') process.exit(0)
  throw err
})

const status = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  messages: process.stderr,
})
// Standard input may still be open, and would keep the process.
process.stdout.write('', () => process.exit(status))
