import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiError, cutOff, hangUp, html, json, page, type Responder, runWith } from './canned-server.ts'
import { withPython } from './python.ts'

const event = (seq: number) => ({ seq, type: 'war.declared', summary: `War ${seq}.` })
const events = (...seqs: number[]) => page(seqs.map(event))
const frame = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify(event(seq))}\n\n`

/** A stream that sends these parts, and then ends or stays open. */
const stream =
  (parts: string[], { staysOpen = false } = {}): Responder =>
  async res => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const part of parts) {
      res.write(part)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    if (!staysOpen) res.end()
  }

/** Follows for this number of events, or until an error. */
const following = (count: number, more = '') => `
import itertools
try:
    for event in itertools.islice(client(retries=0).follow(${more}), ${count}):
        report(event["seq"])
except ChanceryError as error:
    report([error.code, error.status])`

describe('follow of chancery.py', withPython, () => {
  test('starts at the newest event, or behind the given number', async () => {
    const now = await runWith(
      following(2, 'types=["war.*"]'),
      events(40),
      stream(['retry: 3000\n\nid: 40\n\n', frame(41) + frame(42)]),
    )
    assert.deepEqual(now.results, [41, 42])
    assert.deepEqual(now.targets, ['/events?limit=1', '/events/stream?type=war.%2A&after=40'])

    const after = await runWith(
      following(1, 'after=7, types=["war.*", "battle.fought"], nation_id="n1"'),
      stream([frame(8)]),
    )
    assert.deepEqual(after.results, [8])
    assert.deepEqual(after.targets, ['/events/stream?nation_id=n1&type=war.%2A%2Cbattle.fought&after=7'])

    const empty = await runWith(following(1), page([]), stream([frame(1)]))
    assert.deepEqual(empty.targets[1], '/events/stream?after=0')
  })

  test('a stream that ends is reconnected at its last id, also without an event', async () => {
    const { results, targets } = await runWith(
      `chancery.STREAM_RETRY_SECONDS = 0.05${following(4, 'after=5, poll_seconds=100')}`,
      stream([
        'id: 5\n\n',
        `id: 6\nda`,
        `ta: ${JSON.stringify(event(6))}\n`,
        '\nid: 9\n\n',
        'id: 10\ndata: {"se',
      ]),
      stream([frame(9), frame(10), ': heartbeat\nid: 30\n\n']),
      hangUp,
      events(31),
      stream([frame(31), frame(32)]),
    )
    assert.deepEqual(results, [6, 10, 31, 32])
    assert.deepEqual(targets, [
      '/events/stream?after=5',
      '/events/stream?after=9',
      '/events/stream?after=30',
      '/events?after=30&limit=100',
      '/events/stream?after=31',
    ])
  })

  for (const [what, rejection] of Object.entries<Responder>({
    'too many streams': apiError(429, 'rate_limited', { 'retry-after': '15' }),
    'a proxy’s error': html(502),
    'HTML instead of events': html(200),
    'HTML that looks like events': res =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('id: 99\n\n'),
    'an unknown path': apiError(404, 'not_found'),
    'JSON instead of events': json({ data: [] }),
    'a closed connection': hangUp,
  })) {
    test(`without a stream (${what}) the log is polled, each request from the last position`, async () => {
      const { results, targets } = await runWith(
        `chancery.STREAM_RETRY_SECONDS = 100${following(102, 'after=5, poll_seconds=0.01')}`,
        rejection,
        events(...Array.from({ length: 100 }, (_, index) => 6 + index)),
        page([]),
        events(106, 107),
      )
      assert.deepEqual(
        results,
        Array.from({ length: 102 }, (_, index) => 6 + index),
      )
      assert.deepEqual(targets, [
        '/events/stream?after=5',
        '/events?after=5&limit=100',
        '/events?after=105&limit=100',
        '/events?after=105&limit=100',
      ])
    })
  }

  test('a full page is followed by the next one without a wait', async () => {
    const { results } = await runWith(
      following(101, 'after=0, stream=False, poll_seconds=100'),
      events(...Array.from({ length: 100 }, (_, index) => 1 + index)),
      events(101),
    )
    assert.equal(results.length, 101)
  })

  test('a stream may last longer than the timeout of a request', async () => {
    const { results, targets } = await runWith(
      following(5, 'after=0').replace('retries=0', 'retries=0, timeout=0.3'),
      async res => {
        res.writeHead(200, { 'content-type': 'text/event-stream' })
        for (let seq = 1; seq <= 5; seq += 1) {
          res.write(frame(seq))
          await new Promise(resolve => setTimeout(resolve, 150))
        }
      },
    )
    assert.deepEqual([results, targets.length], [[1, 2, 3, 4, 5], 1])
  })

  test('a rejected stream is retried later, from the last polled position', async () => {
    const { results, targets } = await runWith(
      `chancery.STREAM_RETRY_SECONDS = 0.3${following(3, 'after=5, poll_seconds=100')}`,
      apiError(429, 'rate_limited'),
      events(6, 7),
      stream([frame(7), frame(8)]),
    )
    assert.deepEqual(results, [6, 7, 8])
    assert.deepEqual(targets, [
      '/events/stream?after=5',
      '/events?after=5&limit=100',
      '/events/stream?after=7',
    ])
  })

  test('a stream without data is closed, and the log is polled', async () => {
    const { results, targets } = await runWith(
      `chancery.STREAM_TIMEOUT_SECONDS = 0.3${following(1, 'after=5')}`,
      stream([], { staysOpen: true }),
      events(6),
    )
    assert.deepEqual([results, targets.length], [[6], 2])
  })

  test('a stream that stops sending is reopened', async () => {
    const { results, targets } = await runWith(
      `chancery.STREAM_TIMEOUT_SECONDS = 0.3${following(2, 'after=5')}`,
      stream([frame(6)], { staysOpen: true }),
      stream([frame(7)]),
    )
    assert.deepEqual(
      [results, targets],
      [
        [6, 7],
        ['/events/stream?after=5', '/events/stream?after=6'],
      ],
    )
  })

  test('an endless line, or data that is not an event, does not end the feed', async () => {
    const { results } = await runWith(
      following(3, 'after=5'),
      stream([frame(6), `data: ${'x'.repeat(2_000_000)}`]),
      stream([frame(7), 'id: 8\ndata: {"seq":9}\n\n']),
      stream([`id: ${'9'.repeat(5000)}\n\n`, frame(8)]),
    )
    assert.deepEqual(results, [6, 7, 8])
  })

  test('a repeated event is returned once', async () => {
    const { results } = await runWith(
      `chancery.STREAM_RETRY_SECONDS = 0.05${following(4, 'after=5, poll_seconds=100')}`,
      stream([frame(6), frame(6), frame(5), frame(7)]),
      hangUp,
      events(6, 7, 8),
      stream([frame(8), frame(9)]),
    )
    assert.deepEqual(results, [6, 7, 8, 9])
  })

  test('an outage is waited out', async () => {
    const { results, targets } = await runWith(
      following(2, 'after=5, stream=False, poll_seconds=0.01'),
      hangUp,
      html(502),
      apiError(503, 'unavailable', { 'retry-after': '0' }),
      cutOff,
      html(200),
      json({ data: [{}] }),
      json({}),
      events(6),
      apiError(500, 'internal_error'),
      events(7),
    )
    assert.deepEqual([results, targets.length], [[6, 7], 10])
    assert.ok(
      targets.every(target => target.startsWith('/events?after=')),
      'no stream was requested',
    )
  })

  test('a permanent error is raised', async () => {
    for (const [status, code] of [
      [400, 'invalid_parameter'],
      [401, 'invalid_api_key'],
      [404, 'not_found'],
      [410, 'cursor_expired'],
    ] as const) {
      for (const more of ['after=5', 'after=5, stream=False']) {
        const { results, targets } = await runWith(following(1, more), apiError(status, code))
        assert.deepEqual([results, targets.length], [[[code, status]], more === 'after=5' ? 2 : 1])
      }
    }
    const { results } = await runWith(following(1, 'after=5'), res =>
      res.writeHead(301, { location: '/' }).end(),
    )
    assert.deepEqual(results, [['unexpected_response', 301]])
  })
})
