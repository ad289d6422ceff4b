import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { ContinueResult, RestoreResult } from '@chancery/server'
import type { Command } from 'commander'
import { contentsText, rowCount } from '../backup/summary-text.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { counted } from '../numbers.ts'
import { readServiceConfig } from '../service.ts'
import { print, type Terminal } from '../terminal.ts'

export function addRestore(program: Command, terminal: Terminal) {
  program
    .command('restore')
    .description('bring a backup back, all of it or nothing; the service must not run')
    .argument('[file]', 'what chancery backup wrote; - is standard input')
    .option('--replace', 'put it in the place of the world that the database holds', false)
    .option('--redactions <file>', 'redactions to apply again, besides those that are found')
    .option('--done-elsewhere', 'the database was brought back by other means: do the rest', false)
    .option('--json', 'print one JSON document', false)
    .action((file: string | undefined, options: Options) => restore(file, options, terminal))
    .addHelpText(
      'after',
      `
The database is that of the configuration, as for chancery serve. After a restore the numbers of
the log go on above any that were given out, what was redacted or erased since is so again, and
what was revoked in the database that is replaced stays revoked.

Examples:
  chancery restore monday.chancery.gz
  chancery restore --replace monday.chancery.gz
  age -d -i key.txt monday.chancery.gz.age | chancery restore -
  chancery restore --done-elsewhere        after pg_restore, or a recovery to a point in time`,
    )
}

interface Options {
  replace: boolean
  redactions?: string
  doneElsewhere: boolean
  json: boolean
}

async function restore(file: string | undefined, options: Options, terminal: Terminal) {
  if ((file === undefined) !== options.doneElsewhere)
    throw new UsageError(
      'restore takes either the file of a backup, or --done-elsewhere for a database that was brought back by other means',
    )
  if (options.doneElsewhere && options.replace)
    throw new UsageError('--done-elsewhere replaces nothing: leave out --replace')
  if (file !== undefined && file !== '-') await mustBeReadable(file)
  if (options.redactions !== undefined) await mustBeReadable(options.redactions)
  const config = await readServiceConfig(terminal.env, {})
  const { continueDatabase, restoreDatabase } = await import('@chancery/server')
  const wish = { redactionsFile: options.redactions, replaces: options.replace }
  if (file === undefined) {
    const continued = await continueDatabase(config, wish)
    print(terminal, options.json, continuedDocument(continued), continuedText(continued))
    return
  }
  const source = file === '-' ? terminal.input : createReadStream(file)
  const restored = await restoreDatabase(config, source, wish)
  print(terminal, options.json, restoredDocument(restored), restoredText(restored))
}

async function mustBeReadable(file: string): Promise<void> {
  await access(file).catch(err => {
    throw new CommandError(`${file} cannot be read (${err.code})`)
  })
}

const continuedDocument = ({ next_seq, replayed, refused }: ContinueResult) => ({
  next_seq,
  redactions: { applied: replayed, refused },
})

const restoredDocument = ({ backup, migrated, ...continued }: RestoreResult) => ({
  taken_at: backup.taken_at,
  chancery: backup.chancery,
  seq: backup.seq,
  tables: Object.keys(backup.rows).length,
  rows: rowCount(backup),
  migrated,
  ...continuedDocument(continued),
})

function continuedText({ next_seq, replayed, refused }: ContinueResult): string {
  const lines = [
    `the log goes on at ${next_seq}`,
    `${counted(replayed, 'redaction')} applied again`,
    ...refused.map(({ fact, reason }) => `  not applied: ${JSON.stringify(fact)} (${reason})`),
  ]
  return lines.join('\n')
}

function restoredText({ backup, migrated, ...continued }: RestoreResult): string {
  const later = migrated.length === 0 ? [] : [`${counted(migrated.length, 'migration')} applied since`]
  return [`restored what was ${contentsText(backup)}`, ...later, continuedText(continued)].join('\n')
}
