import assert from 'node:assert/strict'

/** A number that only grows, as the game told it: what of it may be read at which time. */
export class GrowingNumber {
  readonly #told: { value: number; sentAt: number; knownAt: number }[] = []
  readonly #readableAfterMs: number

  /** `readableAfterMs`: how long after it was acknowledged an older value may still be read. */
  constructor(readableAfterMs: number) {
    this.#readableAfterMs = readableAfterMs
  }

  get latest(): number {
    return this.#told.at(-1)?.value ?? 0
  }

  /** Records that a value is being sent. Returns the function to call when it is acknowledged. */
  ingest(value: number): () => void {
    const telling = { value, sentAt: performance.now(), knownAt: Number.POSITIVE_INFINITY }
    this.#told.push(telling)
    return () => {
      telling.knownAt = performance.now()
    }
  }

  /** Fails where a reader who asked and was answered at these times cannot have read that. */
  assertReadable(value: number, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): void {
    const least = this.#told.findLast(({ knownAt }) => knownAt + this.#readableAfterMs <= askedAt)?.value ?? 0
    const most = this.#told.findLast(({ sentAt }) => sentAt <= answeredAt)?.value ?? 0
    assert.ok(
      value >= least && value <= most,
      `read ${value} where it was ${least} more than ${this.#readableAfterMs} ms before the question, and ${most} at the answer`,
    )
  }
}
