import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEventParser } from '../src/event-source.ts'

const parse = (...chunks: string[]) => {
  const take = createEventParser()
  return chunks.flatMap(chunk => take(chunk))
}

test('a stream of the API is parsed', () => {
  assert.deepEqual(
    parse(
      'retry: 3000\n\nid: 7126\n\n: up to date\nid: 7126\n\nid: 7131\ndata: {"seq":7131}\n\n: heartbeat\nid: 7140\n\n',
    ),
    [{ retryMs: 3000 }, { id: '7126' }, { id: '7126' }, { id: '7131', data: '{"seq":7131}' }, { id: '7140' }],
  )
})

test('other forms that the specification allows are parsed', () => {
  assert.deepEqual(parse('data:one\ndata: two\ndata\n\nevent: x\nother: y\nid\n\n:\n\n\n'), [
    { data: 'one\ntwo\n' },
    { id: '' },
  ])
  assert.deepEqual(parse('retry: soon\ndata: a: b\nid: 1\0\n\n'), [{ data: 'a: b' }])
})

test('an incomplete message is not returned', () => {
  assert.deepEqual(parse('id: 1\ndata: x\n'), [])
  assert.deepEqual(parse('id: 1\ndata: x'), [])
  assert.throws(() => parse('x'.repeat(4_000_001)))
})

test('chunks and line endings do not change the result', () => {
  const message = fc.record({ id: fc.nat(), data: fc.json() })
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (messages, end, sizes) => {
        const text = messages
          .map(({ id, data }) => `: x${end}id: ${id}${end}data: ${data}${end}${end}`)
          .join('')
        const chunks: string[] = []
        for (let at = 0; at < text.length; ) {
          const size = sizes.next().value ?? 1
          chunks.push(text.slice(at, at + size))
          at += size
        }
        // A last carriage return is parsed with the next chunk.
        const parsed = parse(...chunks, end === '\r' ? '\r' : '')
        assert.deepEqual(
          parsed,
          messages.map(({ id, data }) => ({ id: String(id), data })),
        )
      },
    ),
  )
})
