import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Line, readLines } from '../../src/ingest/split-batches.ts'
import { randomRuns } from '../support/tier.ts'

async function* cut(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (let index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1
    yield bytes.subarray(start, start + size)
    start += size
  }
}

async function linesOf(input: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Line[]> {
  const all: Line[] = []
  for await (const some of readLines(input, bytesMax)) all.push(...some)
  return all
}

test('lines are the same however the network cuts the bytes', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }).map(text => Buffer.from(text.replaceAll('\n', ''))),
    fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes.filter(byte => byte !== 0x0a))),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 25 }),
      async (sent, sizes, bytesMax) => {
        const bytes = Buffer.concat(sent.flatMap(part => [part, Buffer.from('\n')]))
        const expected = sent.map((part, index) => {
          const number = index + 1
          if (part.length > bytesMax) return { number, problem: `the line is longer than ${bytesMax} bytes` }
          const text = part.toString()
          return Buffer.from(text).equals(part)
            ? { number, text }
            : { number, problem: 'the line is not UTF-8' }
        })
        assert.deepEqual(await linesOf(cut(bytes, sizes), bytesMax), expected)
        const unended = bytes.subarray(0, -1)
        const all = sent.at(-1)?.length === 0 ? expected.slice(0, -1) : expected
        assert.deepEqual(await linesOf(cut(unended, sizes), bytesMax), all)
      },
    ),
    { numRuns: randomRuns(1_000) },
  )
})

test('a line of 100 MB is not buffered', async () => {
  const part = Buffer.alloc(65_536, 0x61)
  let peak = 0
  const before = process.memoryUsage().arrayBuffers
  async function* input() {
    for (let sent = 0; sent < 100_000_000; sent += part.length) {
      yield part
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
    }
  }
  assert.deepEqual(await linesOf(input(), 1_048_576), [
    { number: 1, problem: 'the line is longer than 1048576 bytes' },
  ])
  assert.ok(peak < 30_000_000, `${peak} bytes`)
})
