import { createHash, type Hash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, lstatSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CommitFact, FactResource, FeedPosition } from '@chancery/contract'
import {
  type Change,
  chunkSize,
  type Erasure,
  type GameEvent,
  type Redaction,
  type Rejection,
  type Reset,
  type Snapshot,
} from './batch.ts'
import type { ValidFact } from './validate-fact.ts'

/** A snapshot with the keys of all entities that the batch puts. */
export interface SnapshotWithKeys extends Snapshot {
  keys: ReadonlySet<string>
}

/** A batch of valid facts, ready to be applied. */
export interface SpooledBatch {
  id: string
  isAnnounced: boolean
  feed: FeedPosition | undefined
  /** Of the facts as they were sent, and of `announce`. */
  contentHash: Buffer
  factCount: number
  /** The changes of one resource, in the order of the batch, some thousands at a time. */
  changes(resource: FactResource): AsyncIterable<Change[]>
  /** The deletions of one resource, some thousands at a time. */
  deletes(resource: FactResource): AsyncIterable<Change[]>
  events(): AsyncIterable<GameEvent[]>
  /** The snapshot of a resource, if the batch has one. */
  snapshot(resource: FactResource): SnapshotWithKeys | undefined
  reset: Reset | undefined
  redactions: readonly Redaction[]
  erasures: readonly Erasure[]
  /** Whether rejected facts are left out of it: then every place of an error is needed, not the first. */
  isSettingAside: boolean
  /** Dead letters that it applies again. */
  retriedIds: readonly string[]
}

const memoryBytesMax = 16 * 1_048_576

/** The facts of one resource: the last ones in memory, those before them in the file. */
interface Section {
  pending: string[]
  file: FileHandle | undefined
}

/** The section of a resource's deletions. */
const deletesOf = (resource: FactResource) => `${resource} deletes`

/** As JSON on one line: a file's lines also end at the two separators that JSON leaves as they are. */
const lineOf = (record: object) =>
  JSON.stringify(record).replace(/[\u2028\u2029]/g, separator =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )

/** Buffers a batch by resource: in memory, and beyond a size in files, so that a batch may be larger than memory. */
export class Spool {
  #sections = new Map<string, Section>()
  #bytesPending = 0
  #snapshots = new Map<FactResource, Snapshot & { keys: Set<string> }>()
  #reset: Reset | undefined
  #redactions: Redaction[] = []
  #erasures: Erasure[] = []
  #factCount = 0
  #hash: Hash = createHash('sha256')

  /** Adds a fact, or returns why it is misplaced; `text` is how it was sent. */
  async add(fact: Exclude<ValidFact, { op: 'commit' }>, text: string): Promise<Rejection | undefined> {
    const misplaced = this.#misplaced(fact)
    if (misplaced) return misplaced
    this.skip(text)
    switch (fact.op) {
      case 'change':
        await this.#write(fact.resource, fact.change)
        if (fact.change.op === 'put') this.#snapshots.get(fact.resource)?.keys.add(fact.change.key)
        // A second time: deletions are read ahead, because cascades run before anything is applied.
        else await this.#write(deletesOf(fact.resource), fact.change)
        break
      case 'event':
        await this.#write('event', fact.event)
        break
      case 'snapshot':
        this.#snapshots.set(fact.snapshot.resource, { ...fact.snapshot, keys: new Set() })
        break
      case 'redact':
        this.#redactions.push(fact.redaction)
        break
      case 'erase':
        this.#erasures.push(fact.erasure)
        break
      case 'reset':
        this.#reset = fact.reset
    }
    return undefined
  }

  /** Counts a fact that is rejected, and may be set aside: it is part of what was sent. */
  skip(text: string): void {
    this.#factCount += 1
    this.#hash.update(text.trim()).update('\n')
  }

  /** Closes the batch. It can be read until `clear`. */
  close({ batch: id, announce: isAnnounced = true, feed }: Omit<CommitFact, 'op'>): SpooledBatch {
    const contentHash = this.#hash.update(isAnnounced ? 'announced' : 'quiet').digest()
    return {
      id,
      isAnnounced,
      feed,
      contentHash,
      factCount: this.#factCount,
      changes: resource => this.#read<Change>(resource),
      deletes: resource => this.#read<Change>(deletesOf(resource)),
      events: () => this.#read<GameEvent>('event'),
      snapshot: resource => this.#snapshots.get(resource),
      reset: this.#reset,
      redactions: this.#redactions,
      erasures: this.#erasures,
      isSettingAside: false,
      retriedIds: [],
    }
  }

  /** Makes room for the next batch. */
  async clear(): Promise<void> {
    for (const { file } of this.#sections.values()) await file?.close()
    this.#sections.clear()
    this.#snapshots.clear()
    this.#reset = undefined
    this.#redactions = []
    this.#erasures = []
    this.#bytesPending = 0
    this.#factCount = 0
    this.#hash = createHash('sha256')
  }

  /** A snapshot and a reset precede the facts that they concern: otherwise the batch would have to be read twice. */
  #misplaced(fact: ValidFact): Rejection | undefined {
    if (fact.op === 'reset' && this.#factCount > 0)
      return { line: fact.reset.line, path: '/op', reason: 'a reset must be the first fact of its batch' }
    if (fact.op !== 'snapshot') return undefined
    const { line, resource } = fact.snapshot
    if (!this.#sections.has(resource) && !this.#snapshots.has(resource)) return undefined
    return {
      line,
      path: '/op',
      reason: `a snapshot must come before all other facts about ${resource} in its batch`,
    }
  }

  async #write(name: string, record: object): Promise<void> {
    let section = this.#sections.get(name)
    if (!section) {
      section = { pending: [], file: undefined }
      this.#sections.set(name, section)
    }
    const line = lineOf(record)
    section.pending.push(line)
    this.#bytesPending += line.length
    if (this.#bytesPending > memoryBytesMax) await this.#writeOut()
  }

  async #writeOut(): Promise<void> {
    for (const section of this.#sections.values()) {
      if (section.pending.length === 0) continue
      section.file ??= await openTemporaryFile()
      await section.file.appendFile(`${section.pending.join('\n')}\n`)
      section.pending = []
    }
    this.#bytesPending = 0
  }

  async *#read<T>(name: string): AsyncGenerator<T[]> {
    const section = this.#sections.get(name)
    if (!section) return
    let chunk: T[] = []
    if (section.file) {
      for await (const line of section.file.readLines({ start: 0, autoClose: false })) {
        chunk.push(JSON.parse(line) as T)
        if (chunk.length === chunkSize) {
          yield chunk
          chunk = []
        }
      }
    }
    for (const line of section.pending) {
      chunk.push(JSON.parse(line) as T)
      if (chunk.length === chunkSize) {
        yield chunk
        chunk = []
      }
    }
    if (chunk.length > 0) yield chunk
  }
}

const prefix = 'chancery-facts-'

/**
 * Opens a file without a name, which the system removes when it is closed or the process ends: facts contain secrets, which must not
 * stay in the temporary directory.
 */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), prefix + randomUUID())
  const file = await open(path, 'wx+', 0o600)
  // Where the system cannot unlink open files, the next start removes it.
  await rm(path).catch(() => undefined)
  return file
}

/** Named folders, which killed processes of the first version left. A recent one may belong to a process that still runs. */
const formerFolder = /^chancery-(spool|check)-[A-Za-z0-9]{6}$/
const formerMsMin = 3_600_000

/** Removes files of facts that killed processes of this user left in the temporary directory. */
export async function removeTemporaryLeftovers(): Promise<void> {
  const dir = tmpdir()
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name)
    if (name.startsWith(prefix) || (formerFolder.test(name) && isOldAndOurs(path)))
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

function isOldAndOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory() || Date.now() - found.mtimeMs < formerMsMin) return false
  return process.geteuid === undefined || found.uid === process.geteuid()
}

/** A stream that was received to its end, to be read from a file. */
interface BufferedInput {
  read(): AsyncIterable<Uint8Array>
  clear(): Promise<void>
}

/** Buffers a stream to its end: a slow sender then does not hold a transaction open. */
export async function bufferToFile(input: AsyncIterable<Uint8Array>): Promise<BufferedInput> {
  const file = await openTemporaryFile()
  // Streams of the handle itself would keep it from being closed.
  const { fd } = file
  try {
    await pipeline(input, createWriteStream('', { fd, autoClose: false }))
  } catch (error) {
    await file.close()
    throw error
  }
  return { read: () => createReadStream('', { fd, start: 0, autoClose: false }), clear: () => file.close() }
}
