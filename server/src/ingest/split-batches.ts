import { type CommitFact, factBytesMax, limits } from '@chancery/contract'
import { retiredResources } from '../resources/eras/reset.ts'
import { type Rejection, RejectionList } from './batch.ts'
import { parseFact, readLines } from './lines.ts'
import { Spool, type SpooledBatch } from './spool.ts'
import { type FactValidator, isRejected, type ValidFact } from './validate-fact.ts'

/** A batch as it came out of the stream: all its facts good by themselves, or why not. */
export type ReceivedBatch = { sent: SentBatch; commit: Commit } & (
  | { id: string; batch: SpooledBatch; spool: Spool }
  | { id: string | null; rejections: Rejection[] }
)

/** Cuts a stream of facts into batches. Whoever is given a spool clears it. */
export async function* splitIntoBatches(
  check: FactValidator,
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReceivedBatch> {
  let spool = new Spool()
  let text = new SentBatchRecorder()
  let rejections = new RejectionList()
  let lastLine = 0
  let isOpen = false

  const close = (commit: Extract<ValidFact, { op: 'commit' }>['commit']): ReceivedBatch => {
    const sent = text.sent()
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
        const checked = validateLine(check, line)
        if (isRejected(checked)) {
          text.add(line.number, 'text' in line ? line.text : undefined, [])
          rejections.add(checked)
        } else if (checked.op !== 'commit') {
          const lineText = 'text' in line ? line.text : ''
          text.add(line.number, lineText, changedEntities(checked))
          const misplaced = rejections.isEmpty ? await spool.add(checked, lineText) : undefined
          if (misplaced) rejections.add([misplaced])
        } else {
          const collected = close(checked.commit)
          if ('rejections' in collected) await spool.clear()
          else spool = new Spool()
          text = new SentBatchRecorder()
          rejections = new RejectionList()
          isOpen = false
          yield collected
        }
      }
    }
    if (isOpen) {
      const reason = 'the stream ended before this batch was committed: nothing of it is stored'
      rejections.add([{ line: lastLine, path: '', reason }])
      yield { id: null, rejections: rejections.list(), sent: text.sent(), commit: {} }
    }
  } finally {
    await spool.clear()
  }
}

export function validateLine(
  check: FactValidator,
  line: { number: number; text?: string; problem?: string },
): ValidFact | Rejection[] {
  if (line.text === undefined) return [{ line: line.number, path: '', reason: line.problem ?? 'unreadable' }]
  const parsed = parseFact(line.text, line.number)
  return 'reason' in parsed ? [parsed] : check(parsed.value, line.number)
}

/** The things that a fact changes. */
export function changedEntities(fact: ValidFact): EntityKey[] {
  if (fact.op === 'change') return [{ resource: fact.resource, id: fact.change.key }]
  if (fact.op === 'snapshot') return [{ resource: fact.snapshot.resource, id: wildcardId }]
  return fact.op === 'reset' ? retiredResources.map(resource => ({ resource, id: wildcardId })) : []
}

/** How a batch was closed, as far as that could be read. */
export type Commit = Omit<CommitFact, 'op' | 'batch'>

/** Stands for all things of a resource: no id looks like this. */
export const wildcardId = '*'

/** A thing that a fact is about; `anyId` where it is about all of a resource. */
export interface EntityKey {
  resource: string
  id: string
}

/** A batch as it was sent, for the operator to look at where it is refused. */
export interface SentBatch {
  facts: number
  bytes: number
  /** The facts, a line each; null where they are too many to keep, or not text. */
  content: string | null
  entities: EntityKey[]
  /** Where a line of the stream stands in `content`, from 1; the line itself where it does not. */
  lineInContent(line: number): number
}

/** Keeps the text of a batch while it comes, up to the size at which refused batches are kept. */
export class SentBatchRecorder {
  #lines: { number: number; text: string }[] | undefined = []
  #things = new Map<string, EntityKey>()
  #facts = 0
  #bytes = 0

  /** `number` is where it stood in the stream; `text` is undefined for a line that cannot be read. */
  add(number: number, text: string | undefined, things: readonly EntityKey[]): void {
    this.#facts += 1
    this.#bytes += text === undefined ? 0 : Buffer.byteLength(text) + 1
    if (text === undefined || this.#bytes > limits.deadLetterBytesMax) {
      this.#lines = undefined
      this.#things.clear()
    }
    this.#lines?.push({ number, text: text?.trim() ?? '' })
    if (this.#lines) for (const thing of things) this.#things.set(`${thing.resource} ${thing.id}`, thing)
  }

  sent(): SentBatch {
    const lines = this.#lines
    return {
      facts: this.#facts,
      bytes: this.#bytes,
      content: lines ? lines.map(({ text }) => `${text}\n`).join('') : null,
      entities: [...this.#things.values()],
      lineInContent: line => (lines ?? []).findIndex(({ number }) => number === line) + 1 || line,
    }
  }
}
