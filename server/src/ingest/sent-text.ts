import { type CommitFact, limits } from '@chancery/contract'

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
