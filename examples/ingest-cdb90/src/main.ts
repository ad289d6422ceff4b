import { readBattles, readNations } from './battles.ts'
import { factsOf } from './facts.ts'
import { DataError } from './table.ts'

const usage = 'usage: node examples/ingest-cdb90/src/main.ts DIR > facts.ndjson'

/** Writes the facts of all tables, or none if a row is invalid. Returns the exit code. */
function main(args: readonly string[]): number {
  const [directory, ...rest] = args
  if (!directory || directory.startsWith('-') || rest.length > 0) {
    console.error(usage)
    return 2
  }
  try {
    const nations = readNations(directory)
    const facts = factsOf(nations, readBattles(directory, nations))
    process.stdout.write(facts.map(fact => `${JSON.stringify(fact)}\n`).join(''))
    return 0
  } catch (err) {
    if (!(err instanceof DataError)) throw err
    console.error(err.message)
    return 1
  }
}

process.stdout.on('error', (err: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early, such as `head`, is not an error.
  if (err.code === 'EPIPE') return
  console.error(`standard output: ${err.message}`)
  process.exitCode = 1
})
process.exitCode = main(process.argv.slice(2))
