import { once } from 'node:events'
import { linesOf, simulateHistory, type WorldOptions } from '@chancery/simulator'
import type { ChanceryCommand } from '../command.ts'
import { currentHour } from '../format.ts'
import { readProfile } from '../game-profile.ts'
import { integer, time } from '../options.ts'
import { logStatus, type Terminal } from '../terminal.ts'

export function addSimulate(program: ChanceryCommand) {
  const { terminal } = program
  program
    .command('simulate')
    .description('write the history of a simulated world as facts (NDJSON) to standard output')
    .option('--nations <n>', 'how many nations', integer(1, 10_000_000), 600)
    .option('--days <n>', 'how many days of history', integer(0, 36_500), 90)
    .option('--seed <n>', 'the same seed produces the same world', integer(0), 1)
    .option('--ends-at <time>', 'when the history ends (default: this hour)', time)
    .option('--profile <file>', 'the profile of the game (default: the demo game)')
    .action((options: SimulateOptions) => simulate(options, terminal))
    .details(`
Examples:
  chancery simulate --nations 600 --days 90 --seed 7 > world.ndjson
  chancery simulate --nations 5000 --days 30 --seed 1 --ends-at 2026-03-01T00:00:00Z | chancery ingest -
  chancery simulate --profile my-game.json | head -n 3`)
}

interface SimulateOptions {
  nations: number
  days: number
  seed: number
  endsAt?: string
  profile?: string
}

async function simulate({ profile: file, ...options }: SimulateOptions, terminal: Terminal) {
  const endsAt = options.endsAt ?? currentHour()
  if (options.endsAt === undefined)
    logStatus(terminal, `the history ends at ${endsAt}; --ends-at ${endsAt} reproduces the same facts`)
  const profile = file === undefined ? undefined : await readProfile(file)
  const world: WorldOptions = { ...options, endsAt, ...(profile ? { profile } : {}) }
  for (const batch of simulateHistory(world)) {
    if (!terminal.output.write(linesOf(batch))) await once(terminal.output, 'drain')
  }
}
