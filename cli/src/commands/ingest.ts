import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { operatorOperations, profileDigest } from '@chancery/contract'
import type { ChanceryCommand } from '../command.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { formatMegabytes, formatNumber, formatRate } from '../format.ts'
import { readProfile } from '../game-profile.ts'
import { IngestReport } from '../ingest-report.ts'
import { type OperatorClient, openOperatorClient } from '../operator-client/operator-client.ts'
import { type FactsSource, sendFacts, waitUntilRanked } from '../operator-client/send-facts.ts'
import { type Progress, startProgress } from '../progress.ts'
import { logStatus, print, type Terminal } from '../terminal.ts'

export function addIngest(program: ChanceryCommand) {
  const { terminal } = program
  program
    .command('ingest')
    .description('send facts to the running service')
    .argument('<file...>', 'files of facts as NDJSON; - is standard input')
    .option('--check', 'validate the batches and store nothing', false)
    .option(
      '--set-aside',
      'apply batches without the facts that do not fit: they are stored until they do',
      false,
    )
    .option('--json', 'print one JSON document', false)
    .action((files: string[], options: IngestOptions) => ingest(files, options, terminal))
    .details(`
Every batch ends with its commit line, {"op":"commit","batch":"ID"}, and is applied whole or not at
all, and only once: the same file may be sent again. The exit status is 1 if any batch was rejected.
With --set-aside, wrong facts, and those that refer to them, are left out of their batches. The service
retries them by itself; "chancery refused list" shows them. A batch may also request it by itself, with
"refused":"set_aside" in its commit line.
With CHANCERY_GAME_FILE, a warning says if the service runs with another game profile.

Examples:
  chancery ingest world.ndjson
  chancery ingest --check monday.ndjson tuesday.ndjson
  chancery ingest --set-aside import.ndjson
  chancery simulate --nations 600 --days 30 --seed 7 | chancery ingest -`)
}

interface IngestOptions {
  check: boolean
  setAside: boolean
  json: boolean
}

async function ingest(files: string[], { check, setAside, json }: IngestOptions, terminal: Terminal) {
  const sources = await openSources(files, terminal.input)
  const { CHANCERY_GAME_FILE: profileFile } = terminal.env
  const profile = profileFile ? await readProfile(profileFile) : undefined
  const client = await openOperatorClient(terminal.env)
  // Reports a wrong address or token before the first fact is sent.
  const { profile_digest: theirs } = await client.call(operatorOperations.statusGet)
  // Older services do not report their profile.
  if (profile && theirs !== undefined && theirs !== (await profileDigest(profile)))
    logStatus(
      terminal,
      `warning: the service runs with another game profile than ${profileFile} (${profile.name}); it rejects terms that only this one has`,
    )
  const report = new IngestReport(check)
  try {
    await sendSources(client, sources, { report, setsAside: setAside }, terminal)
  } catch (err) {
    if (err instanceof CommandError) {
      if (json) print(terminal, json, { ...report.document(), error: err.message }, '')
      else if (report.batchCount > 0) print(terminal, json, null, report.text())
    }
    throw err
  }
  if (report.hasApplied && !check) await waitForLists(client, terminal)
  print(terminal, json, report.document(), report.text())
  if (report.failureCount > 0) throw new CommandError(report.failureText())
}

/** The facts are stored at this point: an error only means that the lists may lag behind. */
async function waitForLists(client: OperatorClient, terminal: Terminal) {
  try {
    if (!(await waitUntilRanked(client))) logStatus(terminal, 'lists and rankings do not show all of it yet')
  } catch (err) {
    if (!(err instanceof CommandError)) throw err
    logStatus(terminal, `all facts are stored; whether lists show them is unknown: ${err.message}`)
  }
}

interface Source {
  /** As given on the command line. */
  name: string
  bytes: number | undefined
  open(): AsyncIterable<Uint8Array>
}

/** Checks every file before the first one is sent. Throws a CommandError for one that cannot be read. */
async function openSources(files: string[], input: Readable): Promise<Source[]> {
  if (files.filter(file => file === '-').length > 1)
    throw new UsageError('standard input (-) can be read only once')
  return Promise.all(files.map(file => (file === '-' ? standardInput(input) : openFile(file))))
}

const standardInput = (input: Readable): Source => ({ name: '-', bytes: undefined, open: () => input })

async function openFile(name: string): Promise<Source> {
  try {
    await access(name, constants.R_OK)
    const found = await stat(name)
    if (found.isDirectory()) throw new CommandError(`${name} is a directory: name the files in it`)
    return {
      name,
      // A pipe has no size.
      bytes: found.isFile() ? found.size : undefined,
      open: () => createReadStream(name, { highWaterMark: 262_144 }),
    }
  } catch (err) {
    throw unreadable(name, err)
  }
}

function unreadable(name: string, err: unknown): unknown {
  if (!(err instanceof Error && 'code' in err)) return err
  const why = err.code === 'ENOENT' ? 'the file does not exist' : `${err.code}`
  return new CommandError(`${name} cannot be read: ${why}`)
}

/** Sends one file after the other, each as a stream of its own, so that line numbers are those of the file. */
async function sendSources(
  client: OperatorClient,
  sources: Source[],
  { report, setsAside }: { report: IngestReport; setsAside: boolean },
  terminal: Terminal,
): Promise<void> {
  const progress = startProgress(terminal, 'Ingesting', totalBytes(sources))
  const sent = { bytes: 0 }
  const ticking = setInterval(() => draw(progress, sent.bytes, report), 200)
  try {
    for (const source of sources) {
      for await (const outcome of sendFacts(client, counting(source, sent), {
        isCheck: report.isCheck,
        setsAside,
      }))
        report.add(source.name, outcome)
    }
    draw(progress, sent.bytes, report)
  } finally {
    clearInterval(ticking)
    progress.stop()
  }
}

async function* counting(source: Source, sent: { bytes: number }): FactsSource {
  try {
    for await (const chunk of source.open()) {
      yield chunk
      sent.bytes += chunk.length
    }
  } catch (err) {
    throw unreadable(source.name, err)
  }
}

function draw(progress: Progress, bytes: number, report: IngestReport) {
  const rate = formatRate(report.facts, report.elapsedMs)
  progress.update(bytes, `${formatMegabytes(bytes)}, ${formatNumber(report.facts)} facts, ${rate} facts/s`)
}

/** Undefined if one of them is a pipe. */
function totalBytes(sources: Source[]): number | undefined {
  let total = 0
  for (const { bytes } of sources) {
    if (bytes === undefined) return undefined
    total += bytes
  }
  return total
}
