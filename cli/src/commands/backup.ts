import { createReadStream, createWriteStream } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { operatorOperations } from '@chancery/contract'
import type { BackupSummary } from '@chancery/server'
import type { ChanceryCommand, Context, Result } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { formatCount, formatMegabytes } from '../format.ts'
import { dataDirOf, findOperatorApi } from '../operator-client/operator-address.ts'
import {
  createOperatorClient,
  explainConnectionError,
  isSuccess,
  responseError,
  responseTo,
} from '../operator-client/operator-client.ts'
import { readServiceConfig } from '../service.ts'
import { logStatus, type Terminal } from '../terminal.ts'

export function addBackup(program: ChanceryCommand) {
  program
    .command('backup')
    .description('write the whole database to one file, while the service runs')
    .argument('<file>', 'the file to write; - is standard output')
    .prints(backup)
    .details(`
The running service writes it; without one, the command opens the configured database. The file contains
secrets: its mode is 600. Store it where others cannot read it. docs/operations/backup.md
describes what to back up, and how to restore.

Examples:
  chancery backup monday.chancery.gz
  chancery backup - | age -r age1… > monday.chancery.gz.age
  CHANCERY_DATABASE_URL=postgres://chancery@db/chancery chancery backup monday.chancery.gz`)
}

async function backup({ terminal }: Context, file: string): Promise<Result> {
  if (file === '-') {
    await take(terminal, source => write(source, terminal.output))
    logStatus(terminal, 'the backup is written; chancery restore verifies that it is complete')
    return [undefined, '']
  }
  // A file of this name is always a complete backup.
  const part = `${file}.part`
  try {
    // A leftover may be readable by others: the file is created again.
    await rm(part, { force: true })
    await take(terminal, source => pipeline(source, createWriteStream(part, { mode: 0o600, flags: 'wx' })))
    const { checkBackup } = await import('@chancery/server')
    const summary = await checkBackup(createReadStream(part))
    const { size } = await stat(part)
    await rename(part, file)
    return [documentOf(file, size, summary), textOf(file, size, summary)]
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

/** The backup of the running service, as a stream; undefined if none runs. Throws a CommandError for an error response. */
async function backupFromService(env: NodeJS.ProcessEnv): Promise<IncomingMessage | undefined> {
  const isNamed = Boolean(env.CHANCERY_OPERATOR_URL)
  if (!isNamed && !(await hasRun(env))) return undefined
  const client = createOperatorClient(await findOperatorApi(env))
  const { method, path } = operatorOperations.backupTake
  const req = client.open(method, path)
  try {
    const response = responseTo(req)
    req.end()
    const res = await response
    if (!isSuccess(res)) throw await responseError(res)
    return res
  } catch (err) {
    // The address file remains when a service ends.
    const isStopped = err instanceof Error && 'code' in err && err.code === 'ECONNREFUSED'
    if (isStopped && !isNamed) return undefined
    throw explainConnectionError(err, client.url)
  }
}

const hasRun = (env: NodeJS.ProcessEnv) =>
  access(join(dataDirOf(env), 'addresses.json')).then(
    () => true,
    () => false,
  )

/** Standard output stays open. */
async function write(source: Readable, output: NodeJS.WritableStream): Promise<void> {
  source.pipe(output, { end: false })
  await finished(source)
}

function explained(err: unknown, file: string): unknown {
  const code = err instanceof Error && 'code' in err ? String(err.code) : ''
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new CommandError(
      'the service stopped before the backup was complete: nothing was written; try again',
    )
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
  `${file}: ${formatMegabytes(bytes)}, complete\n${contentsText(summary)}`

export const rowCount = ({ rows }: BackupSummary): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

/** The content of a backup, in one line. */
export const contentsText = (summary: BackupSummary): string =>
  `taken ${summary.taken_at} by Chancery ${summary.chancery}: ${formatCount(rowCount(summary), 'row')} of ${Object.keys(summary.rows).length} tables, events up to ${summary.seq}`
