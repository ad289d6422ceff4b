import { isUtf8 } from 'node:buffer'
import { type CommitFact, comesBackExactly, factBytesMax, limits, pointerStep } from '@chancery/contract'
import { retiredResources } from '../resources/eras/reset.ts'
import { type EntityKey, type Rejection, RejectionList, wildcardId } from './batch.ts'
import { SetAside } from './set-aside.ts'
import { Spool, type SpooledBatch } from './spool.ts'
import { type FactValidator, isRejected, isTooDeep, tooDeep, type ValidFact } from './validate-fact.ts'

/** A batch that was received: spooled, or rejected. */
export type ReceivedBatch = { raw: RawBatch; commit: Commit } & (
  | { id: string; batch: SpooledBatch; spool: Spool; setAside: SetAside | undefined }
  | { id: string | null; rejections: Rejection[] }
)

/** A batch while its lines are received. */
export class BatchReceiver {
  #spool = new Spool()
  #recorder = new RawBatchRecorder()
  #rejections = new RejectionList()
  #setAside = new SetAside()
  /** Whether each rejected line can be set aside. */
  #isSeparable = true

  /** Adds a line: a fact, or why it is rejected. `text` is undefined for a line that cannot be read. */
  async add(
    line: number,
    text: string | undefined,
    fact: Exclude<ValidFact, { op: 'commit' }> | Rejection[],
  ): Promise<void> {
    this.#recorder.add(line, text, isRejected(fact) ? [] : changedEntities(fact))
    if (isRejected(fact)) {
      this.#rejections.add(fact)
      this.#spool.skip(text ?? '')
      this.#isSeparable &&= this.#setAside.addLine(line, text, fact)
      return
    }
    const misplaced = await this.#spool.add(fact, text ?? '')
    if (misplaced) this.#rejections.add([misplaced])
    if (misplaced || isMaintenance(fact)) this.#isSeparable = false
  }

  /** Closes the batch. The consumer clears its spool. */
  async close(commit: CommitFact | Omit<CommitFact, 'op'>): Promise<ReceivedBatch> {
    const { batch: id, refused } = commit
    const raw = this.#recorder.finish()
    const setAside = refused === 'set_aside' ? this.#setAside : undefined
    if (this.#rejections.isEmpty || (setAside && this.#isSeparable))
      return { id, batch: this.#spool.close(commit), spool: this.#spool, setAside, raw, commit }
    return this.#rejected({
      id,
      rejections: setAside ? setAside.whole(this.#rejections.list()) : this.#rejections.list(),
      raw,
      commit,
    })
  }

  /** Ends a batch without a valid commit. */
  reject(rejections: Rejection[]): Promise<ReceivedBatch> {
    this.#rejections.add(rejections)
    return this.#rejected({
      id: null,
      rejections: this.#rejections.list(),
      raw: this.#recorder.finish(),
      commit: {},
    })
  }

  async #rejected(received: ReceivedBatch): Promise<ReceivedBatch> {
    await this.clear()
    return received
  }

  clear(): Promise<void> {
    return this.#spool.clear()
  }
}

/** Splits a stream of facts into batches at their commits, which may lack `defaults`. The consumer clears the spool of each. */
export async function* splitIntoBatches(
  validate: FactValidator,
  input: AsyncIterable<Uint8Array>,
  defaults: Pick<Commit, 'refused'> = {},
): AsyncGenerator<ReceivedBatch> {
  let receiving = new BatchReceiver()
  let lastLine = 0
  let isOpen = false
  try {
    for await (const lines of readLines(input, factBytesMax)) {
      for (const line of lines) {
        lastLine = line.number
        if ('text' in line && line.text.trim() === '') continue
        isOpen = true
        const fact = validateLine(validate, line)
        if (isRejected(fact) || fact.op !== 'commit') {
          await receiving.add(line.number, 'text' in line ? line.text : undefined, fact)
          continue
        }
        const { commit } = fact
        const received = isRejected(commit)
          ? await receiving.reject(commit)
          : await receiving.close({ ...defaults, ...commit })
        receiving = new BatchReceiver()
        isOpen = false
        yield received
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      yield await receiving.reject([{ line: lastLine, path: '', reason }])
    }
  } finally {
    await receiving.clear()
  }
}

/**
 * Reads the next item while the current one is processed: a batch is read and validated while the database applies the one before it.
 * An item that is not consumed is released.
 */
export async function* prefetched<T>(
  items: AsyncGenerator<T>,
  release: (item: T) => Promise<void>,
): AsyncGenerator<T> {
  let next = items.next()
  try {
    for (;;) {
      const item = await next
      if (item.done) return
      next = items.next()
      // A failure is thrown when the item is awaited.
      next.catch(() => undefined)
      yield item.value
    }
  } finally {
    // Not awaited: the stream may never send another byte.
    void next.then(item => (item.done ? undefined : release(item.value))).catch(() => undefined)
    void items.return(undefined).catch(() => undefined)
  }
}

export function validateLine(
  validate: FactValidator,
  line: { number: number; text?: string; problem?: string },
): ValidFact | Rejection[] {
  if (line.text === undefined) return [{ line: line.number, path: '', reason: line.problem ?? 'unreadable' }]
  const parsed = parseFact(line.text, line.number)
  return 'reason' in parsed ? [parsed] : validate(parsed.value, line.number)
}

/** Whether a fact rewrites what others have stated: a fact of its batch that is applied later would contradict it. */
const isMaintenance = ({ op }: ValidFact): boolean => op === 'redact' || op === 'erase' || op === 'reset'

/** The entities that a fact changes. */
function changedEntities(fact: ValidFact): EntityKey[] {
  if (fact.op === 'change') return [{ resource: fact.resource, id: fact.change.key }]
  if (fact.op === 'snapshot') return [{ resource: fact.snapshot.resource, id: wildcardId }]
  return fact.op === 'reset' ? retiredResources.map(resource => ({ resource, id: wildcardId })) : []
}

/** The commit of a batch, as far as it is valid. */
export type Commit = Omit<CommitFact, 'op' | 'batch'>

/** A batch as it was sent: stored if it is rejected. */
export interface RawBatch {
  facts: number
  bytes: number
  /** The facts, a line each; null where they are too large to store, or not text. */
  content: string | null
  entities: EntityKey[]
  /** The number of a line of the stream within `content`, from 1; the number itself for a line that is not in it. */
  lineInContent(line: number): number
}

/** Records the text of a batch while it is received, up to the size limit of dead letters. */
class RawBatchRecorder {
  #lines: { number: number; text: string }[] | undefined = []
  #entities = new Map<string, EntityKey>()
  #facts = 0
  #bytes = 0

  /** `number` is the line in the stream; `text` is undefined for a line that cannot be read. */
  add(number: number, text: string | undefined, entities: readonly EntityKey[]): void {
    this.#facts += 1
    this.#bytes += text === undefined ? 0 : Buffer.byteLength(text) + 1
    if (text === undefined || this.#bytes > limits.deadLetterBytesMax) {
      this.#lines = undefined
      this.#entities.clear()
    }
    this.#lines?.push({ number, text: text?.trim() ?? '' })
    if (this.#lines)
      for (const entity of entities) this.#entities.set(`${entity.resource} ${entity.id}`, entity)
  }

  finish(): RawBatch {
    const lines = this.#lines
    return {
      facts: this.#facts,
      bytes: this.#bytes,
      content: lines ? lines.map(({ text }) => `${text}\n`).join('') : null,
      entities: [...this.#entities.values()],
      lineInContent: line => (lines ?? []).findIndex(({ number }) => number === line) + 1 || line,
    }
  }
}

/** A line of the stream: its number from 1, and its text, or the reason why it cannot be read. */
export type Line = { number: number; text: string } | { number: number; problem: string }

const newline = 0x0a

/**
 * Splits a stream of bytes into lines, many at a time. Buffers one chunk and one unfinished line, and nothing of a line longer than
 * `bytesMax`.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line[]> {
  let number = 0
  let isSkipping = false
  let rest: Buffer = Buffer.alloc(0)

  const take = (bytes: Buffer): Line => {
    number += 1
    if (bytes.length > bytesMax) return { number, problem: `the line is longer than ${bytesMax} bytes` }
    return isUtf8(bytes)
      ? { number, text: bytes.toString('utf8') }
      : { number, problem: 'the line is not UTF-8' }
  }

  for await (const part of input) {
    const bytes =
      rest.length > 0
        ? Buffer.concat([rest, part])
        : Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    const lines: Line[] = []
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (isSkipping) {
        number += 1
        lines.push({ number, problem: `the line is longer than ${bytesMax} bytes` })
        isSkipping = false
      } else {
        lines.push(take(bytes.subarray(start, end)))
      }
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > bytesMax) {
      isSkipping = true
      rest = Buffer.alloc(0)
    }
    if (isSkipping) rest = Buffer.alloc(0)
    if (lines.length > 0) yield lines
  }
  if (isSkipping) yield [{ number: number + 1, problem: `the line is longer than ${bytesMax} bytes` }]
  else if (rest.length > 0) yield [take(rest)]
}

const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/
/** Numbers of 16 digits or more: shorter ones are kept exactly. */
const longNumber = /[:,[\s]-?[\d.]{16}/

/**
 * Parses a line as JSON. Rejects numbers that would come back as other ones, and text that PostgreSQL cannot store: NUL characters and
 * lone surrogates (their escapes; unescaped they are not UTF-8).
 */
export function parseFact(text: string, line: number): { value: unknown } | Rejection {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      line,
      path: '',
      reason: `not JSON: ${error instanceof Error ? withoutQuote(error.message) : ''}`,
    }
  }
  if (suspiciousEscape.test(text)) {
    if (isTooDeep(value)) return tooDeep(line)
    const path = findText(value, '', isUnstorable)
    if (path !== undefined)
      return { line, path, reason: 'must not contain a NUL character or a lone surrogate' }
  }
  if (longNumber.test(text)) {
    if (isTooDeep(value)) return tooDeep(line)
    const path = findText(withInexactNumbers(text), '', isInexactNumber)
    if (path !== undefined)
      return { line, path, reason: 'has more digits than come back exactly: round it to 15' }
  }
  return { value }
}

/** Stands for a number that would come back as another one. No text of a fact is equal: NUL cannot be stored. */
const inexactNumber = '\0inexact'
const isInexactNumber = (text: string) => text === inexactNumber

/** Parses JSON with a mark in place of each number that would come back as another one. A reviver is slow. */
const withInexactNumbers = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !comesBackExactly(context?.source ?? '') ? inexactNumber : value,
  )

/** The message without the part of the text that the engine quotes: reasons have more readers than facts. */
const withoutQuote = (message: string) =>
  message.replace(/( in JSON|, (\.\.\.)?"|^").*/s, '') || 'not a value'

const isUnstorable = (text: string) => text.includes('\0') || !text.isWellFormed()

/** The place of the first text for which a condition is true, or undefined. */
function findText(value: unknown, path: string, isFound: (text: string) => boolean): string | undefined {
  if (typeof value === 'string') return isFound(value) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const found = findText(key, path, isFound) ?? findText(member, `${path}/${pointerStep(key)}`, isFound)
    if (found !== undefined) return found
  }
  return undefined
}
