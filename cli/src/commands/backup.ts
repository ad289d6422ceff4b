import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { BackupSummary } from '@chancery/server'
import type { Command } from 'commander'
import { backupFromService } from '../backup/from-service.ts'
import { contentsText, rowCount } from '../backup/summary-text.ts'
import { CommandError } from '../command-error.ts'
import { megabytes } from '../numbers.ts'
import { readServiceConfig } from '../service.ts'
import { print, say, type Terminal } from '../terminal.ts'

export function addBackup(program: Command, terminal: Terminal) {
  program
    .command('backup')
    .description('write all of the database into one file, while the service goes on')
    .argument('<file>', 'where to; - is standard output')
    .option('--json', 'print one JSON document', false)
    .action((file: string, { json }: { json: boolean }) => backup(file, json, terminal))
    .addHelpText(
      'after',
      `
The running service makes it; where none runs, the database of the configuration is opened. The
file holds secrets: it is made with mode 600, and belongs where nobody else reads it.
docs/operations/backup.md says what in it cannot be had again, and how to restore.

Examples:
  chancery backup monday.chancery.gz
  chancery backup - | age -r age1… > monday.chancery.gz.age
  CHANCERY_DATABASE_URL=postgres://chancery@db/chancery chancery backup monday.chancery.gz`,
    )
}

async function backup(file: string, json: boolean, terminal: Terminal) {
  if (file === '-') {
    await take(terminal, source => write(source, terminal.output))
    say(terminal, 'the backup is written; chancery restore looks whether it is whole')
    return
  }
  // Under its name there is a whole backup, or none.
  const part = `${file}.part`
  try {
    // What an earlier one left may be open to others: the file is made anew.
    await rm(part, { force: true })
    await take(terminal, source => pipeline(source, createWriteStream(part, { mode: 0o600, flags: 'wx' })))
    const { checkBackup } = await import('@chancery/server')
    const summary = await checkBackup(createReadStream(part))
    const { size } = await stat(part)
    await rename(part, file)
    print(terminal, json, documentOf(file, size, summary), textOf(file, size, summary))
  } catch (err) {
    await rm(part, { force: true })
    throw explained(err, file)
  }
}

async function take(terminal: Terminal, write: (backup: Readable) => Promise<void>): Promise<void> {
  const fromService = await backupFromService(terminal.env)
  if (fromService) return write(fromService)
  const { backUp } = await import('@chancery/server')
  return backUp(await readServiceConfig(terminal.env, {}), write)
}

/** Standard output stays open. */
async function write(source: Readable, output: NodeJS.WritableStream): Promise<void> {
  source.pipe(output, { end: false })
  await finished(source)
}

function explained(err: unknown, file: string): unknown {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new CommandError('the service ended before the backup did: nothing was written; try again')
  const isOfFile = /^E(NOENT|ACCES|PERM|NOSPC|ROFS|ISDIR|NOTDIR|DQUOT)$/.test(code)
  return isOfFile ? new CommandError(`${file} cannot be written (${code})`) : err
}

const documentOf = (file: string, bytes: number, summary: BackupSummary) => ({
  file,
  bytes,
  taken_at: summary.taken_at,
  chancery: summary.chancery,
  seq: summary.seq,
  tables: Object.keys(summary.rows).length,
  rows: rowCount(summary),
})

const textOf = (file: string, bytes: number, summary: BackupSummary) =>
  `${file}: ${megabytes(bytes)}, whole\n${contentsText(summary)}`
