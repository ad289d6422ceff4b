/** 128 bits of state from a label (cyrb128). */
function hash(label: string): [number, number, number, number] {
  let a = 1779033703
  let b = 3144134277
  let c = 1013904242
  let d = 2773480762
  for (let at = 0; at < label.length; at++) {
    const code = label.charCodeAt(at)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  return [a ^ b, b ^ c, c ^ d, d ^ a]
}

/** A short hash of a text. */
export const fingerprint = (text: string) => (hash(text)[0] >>> 0).toString(36)

/**
 * A random number generator (sfc32). Streams with different labels are independent, so that drawing more for one purpose does not
 * change the others.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(...labels: (string | number)[]) {
    const [a, b, c, d] = hash(labels.join('/'))
    this.#a = a
    this.#b = b
    this.#c = c
    this.#d = d
    for (let turn = 0; turn < 12; turn++) this.unit()
  }

  /** From 0 up to but not including 1. */
  unit(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  range(from: number, to: number): number {
    return from + this.unit() * (to - from)
  }

  /** A whole number; both bounds are possible. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1))
  }

  /** About normally distributed around 0 with deviation 1, from -3 to 3. */
  normal(): number {
    const sum = this.unit() + this.unit() + this.unit() + this.unit() - 2
    return Math.max(-3, Math.min(3, sum * 1.7320508))
  }

  /** How many times something happens that is expected `mean` times. */
  occurrences(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + this.normal() * Math.sqrt(mean)))
    const limit = Math.exp(-mean)
    let times = 0
    for (let product = this.unit(); product > limit; product *= this.unit()) times++
    return times
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[Math.floor(this.unit() * from.length)]
    if (picked === undefined) throw new RangeError('There is nothing to pick from.')
    return picked
  }

  /** `count` different ones, in a drawn order; fewer where there are fewer. */
  sample<T>(from: readonly T[], count: number): T[] {
    const left = [...from]
    const drawn: T[] = []
    while (drawn.length < count && left.length > 0) {
      drawn.push(...left.splice(Math.floor(this.unit() * left.length), 1))
    }
    return drawn
  }
}
