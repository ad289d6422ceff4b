import { type CommitFact, factBytesMax, limits } from '@chancery/contract'
import { retiredResources } from '../resources/eras/reset.ts'
import { type Rejection, RejectionList } from './batch.ts'
import { parseFact, readLines } from './lines.ts'
import { Spool, type SpooledBatch } from './spool.ts'
import { type FactValidator, isRejected, type ValidFact } from './validate-fact.ts'

/** A batch of the stream: valid and spooled, or rejected. */
export type ReceivedBatch = { sent: SentBatch; commit: Commit } & (
  | { id: string; batch: SpooledBatch; spool: Spool }
  | { id: string | null; rejections: Rejection[] }
)

/** Splits a stream of facts into batches at their commits. The consumer clears the spool of each. */
export async function* splitIntoBatches(
  validate: FactValidator,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReceivedBatch> {
  let spool = new Spool()
  let recorder = new SentBatchRecorder()
  let rejections = new RejectionList()
  let lastLine = 0
  let isOpen = false

  const close = (commit: Extract<ValidFact, { op: 'commit' }>['commit']): ReceivedBatch => {
    const sent = recorder.sent()
    if (isRejected(commit)) {
      rejections.add(commit)
      return { id: null, rejections: rejections.list(), sent, commit: {} }
    }
    const id = commit.batch
    if (!rejections.isEmpty) return { id, rejections: rejections.list(), sent, commit }
    return { id, batch: spool.close(commit), spool, sent, commit }
  }
  try {
    for await (const lines of readLines(input, factBytesMax)) {
      for (const line of lines) {
        lastLine = line.number
        if ('text' in line && line.text.trim() === '') continue
        isOpen = true
        const fact = validateLine(validate, line)
        if (isRejected(fact)) {
          recorder.add(line.number, 'text' in line ? line.text : undefined, [])
          rejections.add(fact)
        } else if (fact.op !== 'commit') {
          const lineText = 'text' in line ? line.text : ''
          recorder.add(line.number, lineText, changedEntities(fact))
          const misplaced = rejections.isEmpty ? await spool.add(fact, lineText) : undefined
          if (misplaced) rejections.add([misplaced])
        } else {
          const received = close(fact.commit)
          if ('rejections' in received) await spool.clear()
          else spool = new Spool()
          recorder = new SentBatchRecorder()
          rejections = new RejectionList()
          isOpen = false
          yield received
        }
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      rejections.add([{ line: lastLine, path: '', reason }])
      yield { id: null, rejections: rejections.list(), sent: recorder.sent(), commit: {} }
    }
  } finally {
    await spool.clear()
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

/** The entities that a fact changes. */
export function changedEntities(fact: ValidFact): EntityKey[] {
  if (fact.op === 'change') return [{ resource: fact.resource, id: fact.change.key }]
  if (fact.op === 'snapshot') return [{ resource: fact.snapshot.resource, id: wildcardId }]
  return fact.op === 'reset' ? retiredResources.map(resource => ({ resource, id: wildcardId })) : []
}

/** The commit of a batch, as far as it is valid. */
export type Commit = Omit<CommitFact, 'op' | 'batch'>

/** Stands for all entities of a resource: no id has this form. */
export const wildcardId = '*'

/** The subject of a fact; `wildcardId` where it is about a whole resource. */
export interface EntityKey {
  resource: string
  id: string
}

/** A batch as it was sent: stored if it is rejected. */
export interface SentBatch {
  facts: number
  bytes: number
  /** The facts, a line each; null where they are too large to store, or not text. */
  content: string | null
  entities: EntityKey[]
  /** The number of a line of the stream within `content`, from 1; the number itself for a line that is not in it. */
  lineInContent(line: number): number
}

/** Records the text of a batch while it is received, up to the size limit of dead letters. */
export class SentBatchRecorder {
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

  sent(): SentBatch {
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
