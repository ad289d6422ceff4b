import { runCommandLine } from './command-line.ts'

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
