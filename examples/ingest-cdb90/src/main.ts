import { readBattles } from './battles.ts'
import { DataError } from './data-error.ts'
import { factsOf } from './facts.ts'
import { readNations } from './nations.ts'

const usage = 'usage: node examples/ingest-cdb90/src/main.ts DIR > facts.ndjson'

/** Writes the facts of all tables or, when one row is wrong, none. Returns the exit code. */
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
  // A reader that has seen enough, such as `head`, is no failure.
  if (err.code === 'EPIPE') return
  console.error(`standard output: ${err.message}`)
  process.exitCode = 1
})
process.exitCode = main(process.argv.slice(2))
