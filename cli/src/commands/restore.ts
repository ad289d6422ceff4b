import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import type { ContinueResult, RestoreResult } from '@chancery/server'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { formatCount } from '../format.ts'
import { readServiceConfig } from '../service.ts'
import { contentsText, rowCount } from './backup.ts'

export function addRestore(program: ChanceryCommand) {
  program
    .command('restore')
    .description('restore a backup, all or nothing; the service must be stopped')
    .argument('[file]', 'a file of chancery backup; - is standard input')
    .option('--replace', 'replace the world in the database', false)
    .option('--redactions <file>', 'redactions to apply again, in addition to those found')
    .option('--finish-only', 'after pg_restore: only run the post-restore steps', false)
    .prints(restore)
    .details(`
The database is the configured one, as for chancery serve. After a restore, event numbers continue above all
numbers used before, later redactions and erasures are applied again, and keys and tokens that were revoked
in the replaced database stay revoked.

Examples:
  chancery restore monday.chancery.gz
  chancery restore --replace monday.chancery.gz
  age -d -i key.txt monday.chancery.gz.age | chancery restore -
  chancery restore --finish-only           after pg_restore or point-in-time recovery`)
}

interface Options {
  replace: boolean
  redactions?: string
  finishOnly: boolean
}

async function restore({ terminal }: Context, file: string | undefined, options: Options): Promise<Result> {
  if ((file === undefined) !== options.finishOnly)
    throw new UsageError(
      'give either a backup file, or --finish-only for a database that was restored by other means',
    )
  if (options.finishOnly && options.replace)
    throw new UsageError('--finish-only cannot be combined with --replace')
  if (file !== undefined && file !== '-') await assertReadable(file)
  if (options.redactions !== undefined) await assertReadable(options.redactions)
  const config = await readServiceConfig(terminal.env, {})
  const { continueDatabase, restoreDatabase } = await import('@chancery/server')
  const restoreOptions = { redactionsFile: options.redactions, replaces: options.replace }
  if (file === undefined) {
    const continued = await continueDatabase(config, restoreOptions)
    return [continuedDocument(continued), continuedText(continued)]
  }
  const source = file === '-' ? terminal.input : createReadStream(file)
  const restored = await restoreDatabase(config, source, restoreOptions)
  return [restoredDocument(restored), restoredText(restored)]
}

async function assertReadable(file: string): Promise<void> {
  await access(file).catch(err => {
    throw new CommandError(`${file} cannot be read (${err.code})`)
  })
}

const continuedDocument = ({ next_seq, replayed, rejected }: ContinueResult) => ({
  next_seq,
  redactions: { applied: replayed, refused: rejected },
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

function continuedText({ next_seq, replayed, rejected }: ContinueResult): string {
  const lines = [
    `the event log continues at ${next_seq}`,
    `${formatCount(replayed, 'redaction')} applied again`,
    ...rejected.map(({ fact, reason }) => `  not applied: ${JSON.stringify(fact)} (${reason})`),
  ]
  return lines.join('\n')
}

function restoredText({ backup, migrated, ...continued }: RestoreResult): string {
  const later = migrated.length === 0 ? [] : [`${formatCount(migrated.length, 'migration')} applied since`]
  return [`restored a backup ${contentsText(backup)}`, ...later, continuedText(continued)].join('\n')
}
