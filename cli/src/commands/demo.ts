import type { Command } from 'commander'
import { runDemo } from '../demo/run-demo.ts'
import { seconds, wholeNumber } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

export function addDemo(program: Command, terminal: Terminal) {
  program
    .command('demo')
    .description('run the service with a simulated world, to try it')
    .option('--fresh', 'remove the world of earlier starts and make a new one', false)
    .option('--nations <n>', 'how many nations a new world has (default: 600)', wholeNumber(50, 1_000_000))
    .option('--seed <n>', 'the same seed makes the same world (default: 1)', wholeNumber(0))
    .option('--tick-seconds <n>', 'how often the world goes on; 0 freezes it', seconds, 5)
    .option('--json', 'print one JSON document', false)
    .action(options => runDemo(options, terminal))
    .addHelpText(
      'after',
      `
It brings its own PostgreSQL and keeps everything in CHANCERY_DATA_DIR (.chancery): a later start
goes on with the same world. npm start is the same as chancery demo.

Examples:
  chancery demo
  chancery demo --fresh --nations 5000 --seed 7
  CHANCERY_PORT=9000 CHANCERY_OPERATOR_PORT=9001 chancery demo --tick-seconds 0`,
    )
}
