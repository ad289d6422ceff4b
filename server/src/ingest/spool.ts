import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FactResource } from '@chancery/contract'
import type { GameEvent } from '../events/record.ts'
import type { Change } from '../store/batch.ts'
import type { CheckedFact } from './check-fact.ts'

/** A batch whose facts are all good by themselves, ready to be applied. */
export interface SpooledBatch {
  id: string
  isAnnounced: boolean
  /** Of the facts as they were sent, and of `announce`. */
  contentHash: Buffer
  factCount: number
  /** The changes of one resource, in the order of the batch, some thousands at a time. */
  changes(resource: FactResource): AsyncIterable<Change[]>
  /** The deletions of one resource, some thousands at a time. */
  deletes(resource: FactResource): Iterable<Change[]>
  events(): AsyncIterable<GameEvent[]>
}

const chunkSize = 2_500
const memoryBytesMax = 16 * 1_048_576

/** What waits in memory for one resource, and the file that holds what came before it. */
interface Section {
  waiting: string[]
  file: FileHandle | undefined
}

/** As JSON on one line: a file's lines also end at the two separators that JSON leaves as they are. */
const lineOf = (record: object) =>
  JSON.stringify(record).replace(/[\u2028\u2029]/g, separator =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )

/** Collects a batch by resource: in memory, and from a size on in files, so that a batch may be larger than memory. */
export class Spool {
  #sections = new Map<string, Section>()
  #bytesWaiting = 0
  /** Deletions are known ahead: what goes with a thing goes before anything is applied. */
  #deletes = new Map<FactResource, Change[]>()
  #factCount = 0
  #hash: Hash = createHash('sha256')
  #folder: string | undefined

  /** Takes in one fact; `text` is how it was sent. */
  async add(fact: Exclude<CheckedFact, { op: 'commit' }>, text: string): Promise<void> {
    const [name, record] = fact.op === 'change' ? [fact.resource, fact.change] : ['event', fact.event]
    let section = this.#sections.get(name)
    if (!section) {
      section = { waiting: [], file: undefined }
      this.#sections.set(name, section)
    }
    if (fact.op === 'change' && fact.change.op === 'delete') this.#noteDelete(fact.resource, fact.change)
    const line = lineOf(record)
    section.waiting.push(line)
    this.#factCount += 1
    this.#hash.update(text.trim()).update('\n')
    this.#bytesWaiting += line.length
    if (this.#bytesWaiting > memoryBytesMax) await this.#writeOut()
  }

  /** Closes the batch. The spool holds it until `clear`. */
  close(id: string, isAnnounced: boolean): SpooledBatch {
    const contentHash = this.#hash.update(isAnnounced ? 'announced' : 'quiet').digest()
    return {
      id,
      isAnnounced,
      contentHash,
      factCount: this.#factCount,
      changes: resource => this.#read<Change>(resource),
      deletes: resource => chunksOf(this.#deletes.get(resource) ?? []),
      events: () => this.#read<GameEvent>('event'),
    }
  }

  /** Makes room for the next batch. */
  async clear(): Promise<void> {
    for (const { file } of this.#sections.values()) await file?.close()
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true })
    this.#sections.clear()
    this.#deletes.clear()
    this.#bytesWaiting = 0
    this.#factCount = 0
    this.#hash = createHash('sha256')
    this.#folder = undefined
  }

  #noteDelete(resource: FactResource, change: Change): void {
    const deletes = this.#deletes.get(resource)
    if (deletes) deletes.push(change)
    else this.#deletes.set(resource, [change])
  }

  async #writeOut(): Promise<void> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'chancery-spool-'))
    for (const [name, section] of this.#sections) {
      if (section.waiting.length === 0) continue
      // Facts hold secrets: nobody else may read the file.
      section.file ??= await open(join(this.#folder, name), 'w+', 0o600)
      await section.file.appendFile(`${section.waiting.join('\n')}\n`)
      section.waiting = []
    }
    this.#bytesWaiting = 0
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
    for (const line of section.waiting) {
      chunk.push(JSON.parse(line) as T)
      if (chunk.length === chunkSize) {
        yield chunk
        chunk = []
      }
    }
    if (chunk.length > 0) yield chunk
  }
}

function* chunksOf<T>(list: T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += chunkSize) yield list.slice(start, start + chunkSize)
}
