import type { Command } from 'commander'
import { CommandError } from '../command-error.ts'
import { findDoor } from '../door/environment.ts'
import { type OperatorDoor, openDoor } from '../door/operator-door.ts'
import { untilRanked } from '../door/world-status.ts'
import { ingestFiles } from '../ingest/ingest-files.ts'
import { IngestReport } from '../ingest/report.ts'
import { openSources } from '../ingest/sources.ts'
import { print, say, type Terminal } from '../terminal.ts'

export function addIngest(program: Command, terminal: Terminal) {
  program
    .command('ingest')
    .description('send facts to the running service')
    .argument('<file...>', 'files of facts as NDJSON; - is standard input')
    .option('--check', 'say what would become of the batches, and store nothing', false)
    .option('--json', 'print one JSON document', false)
    .action((files: string[], options: IngestOptions) => ingest(files, options, terminal))
    .addHelpText(
      'after',
      `
Every batch ends with its commit line, {"op":"commit","batch":"ID"}, and is applied whole or not at
all, and only once: the same file may be sent again. The exit status is 1 if any batch was refused.

Examples:
  chancery ingest world.ndjson
  chancery ingest --check monday.ndjson tuesday.ndjson
  chancery simulate --nations 600 --days 30 --seed 7 | chancery ingest -`,
    )
}

interface IngestOptions {
  check: boolean
  json: boolean
}

async function ingest(files: string[], { check, json }: IngestOptions, terminal: Terminal) {
  const sources = await openSources(files, terminal.input)
  const door = openDoor(await findDoor(terminal.env))
  // A wrong address or token is told before the first fact is sent.
  await door.call('GET', '/status')
  const report = new IngestReport(check)
  try {
    await ingestFiles(door, sources, report, terminal)
  } catch (err) {
    if (err instanceof CommandError) {
      if (json) print(terminal, json, { ...report.document(), error: err.message }, '')
      else if (report.batchCount > 0) print(terminal, json, null, report.text())
    }
    throw err
  }
  if (report.hasApplied && !check) await waitForLists(door, terminal)
  print(terminal, json, report.document(), report.text())
  if (report.failureCount > 0) throw new CommandError(report.failureText())
}

/** All is stored by now: a service that goes away meanwhile takes nothing back. */
async function waitForLists(door: OperatorDoor, terminal: Terminal) {
  try {
    if (!(await untilRanked(door))) say(terminal, 'lists and rankings do not show all of it yet')
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    say(terminal, `all is stored; whether lists show it is not known: ${err.message}`)
  }
}
