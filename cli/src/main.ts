import { runCommandLine } from './command-line.ts'
import type { Terminal } from './terminal.ts'

const terminal: Terminal = {
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  messages: process.stderr,
}

// A closed standard error does not end the command.
process.stderr.on('error', () => {})
process.stdout.on('error', endForOutput)

const status = await runCommandLine(process.argv.slice(2), terminal)
// An open standard input would keep the process alive.
process.stdout.write('', err => {
  if (err) endForOutput(err)
  process.exit(status)
})

function endForOutput(err: NodeJS.ErrnoException): void {
  if (terminal.ignoresOutputErrors) return
  // A reader that stops early (`chancery simulate … | head`) is not a failure.
  if (err.code === 'EPIPE') process.exit(0)
  process.stderr.write(`chancery: cannot write to standard output (${err.code ?? err.message})\n`)
  process.exit(1)
}
