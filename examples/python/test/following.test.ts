import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, cutOff, hangUp, html, json, page, refusal, serveCanned } from './canned-server.ts'
import { runPython, withPython } from './python.ts'

const event = (seq: number) => ({ seq, type: 'war.declared', summary: `War ${seq}.` })
const events = (...seqs: number[]) => page(seqs.map(event))
const frame = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify(event(seq))}\n\n`

/** A stream of these pieces, which then ends, or stays open. */
const stream =
  (pieces: string[], { stays = false } = {}): Answer =>
  async res => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const piece of pieces) {
      res.write(piece)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    if (!stays) res.end()
  }

/** Follows until so many events are told, or until it raises. */
const following = (count: number, more = '') => `
import itertools
try:
    for event in itertools.islice(client(retries=0).follow(${more}), ${count}):
        tell(event["seq"])
except ChanceryError as error:
    tell([error.code, error.status])`

async function follow(script: string, ...answers: Answer[]) {
  const server = await serveCanned(...answers)
  try {
    const told = await runPython(script, { url: server.url })
    return { told, asked: server.calls.map(({ target }) => target.slice('/api/v1'.length)) }
  } finally {
    await server.close()
  }
}

describe('follow of chancery.py', withPython, () => {
  test('begins at the newest event, or at the number that it is given', async () => {
    const now = await follow(
      following(2, 'types=["war.*"]'),
      events(40),
      stream(['retry: 3000\n\nid: 40\n\n', frame(41) + frame(42)]),
    )
    assert.deepEqual(now.told, [41, 42])
    assert.deepEqual(now.asked, ['/events?limit=1', '/events/stream?type=war.%2A&after=40'])

    const after = await follow(
      following(1, 'after=7, types=["war.*", "battle.fought"], nation_id="n1"'),
      stream([frame(8)]),
    )
    assert.deepEqual(after.told, [8])
    assert.deepEqual(after.asked, ['/events/stream?nation_id=n1&type=war.%2A%2Cbattle.fought&after=7'])

    const empty = await follow(following(1), page([]), stream([frame(1)]))
    assert.deepEqual(empty.asked[1], '/events/stream?after=0')
  })

  test('a stream that ends is taken up where it stopped, also where only an id said so', async () => {
    const { told, asked } = await follow(
      `chancery.STREAM_AGAIN_SECONDS = 0.05${following(4, 'after=5, every=100')}`,
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
    assert.deepEqual(told, [6, 10, 31, 32])
    assert.deepEqual(asked, [
      '/events/stream?after=5',
      '/events/stream?after=9',
      '/events/stream?after=30',
      '/events?after=30&limit=100',
      '/events/stream?after=31',
    ])
  })

  for (const [what, refused] of Object.entries<Answer>({
    'as many streams as may be': refusal(429, 'rate_limited', { 'retry-after': '15' }),
    'a proxy’s error': html(502),
    'a page instead of events': html(200),
    'a page that looks like events': res =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('id: 99\n\n'),
    'a path that is not there': refusal(404, 'not_found'),
    'JSON instead of events': json({ data: [] }),
    'a connection that ends': hangUp,
  })) {
    test(`without a stream (${what}) the log is polled, from one call to the next`, async () => {
      const { told, asked } = await follow(
        `chancery.STREAM_AGAIN_SECONDS = 100${following(102, 'after=5, every=0.01')}`,
        refused,
        events(...Array.from({ length: 100 }, (_, index) => 6 + index)),
        page([]),
        events(106, 107),
      )
      assert.deepEqual(
        told,
        Array.from({ length: 102 }, (_, index) => 6 + index),
      )
      assert.deepEqual(asked, [
        '/events/stream?after=5',
        '/events?after=5&limit=100',
        '/events?after=105&limit=100',
        '/events?after=105&limit=100',
      ])
    })
  }

  test('a full page is followed by the next one at once', async () => {
    const { told } = await follow(
      following(101, 'after=0, stream=False, every=100'),
      events(...Array.from({ length: 100 }, (_, index) => 1 + index)),
      events(101),
    )
    assert.equal(told.length, 101)
  })

  test('a stream lasts longer than a call may take', async () => {
    const { told, asked } = await follow(
      following(5, 'after=0').replace('retries=0', 'retries=0, timeout=0.3'),
      async res => {
        res.writeHead(200, { 'content-type': 'text/event-stream' })
        for (let seq = 1; seq <= 5; seq += 1) {
          res.write(frame(seq))
          await new Promise(resolve => setTimeout(resolve, 150))
        }
      },
    )
    assert.deepEqual([told, asked.length], [[1, 2, 3, 4, 5], 1])
  })

  test('a stream that was refused is tried again later, and goes on where polling stopped', async () => {
    const { told, asked } = await follow(
      `chancery.STREAM_AGAIN_SECONDS = 0.3${following(3, 'after=5, every=100')}`,
      refusal(429, 'rate_limited'),
      events(6, 7),
      stream([frame(7), frame(8)]),
    )
    assert.deepEqual(told, [6, 7, 8])
    assert.deepEqual(asked, ['/events/stream?after=5', '/events?after=5&limit=100', '/events/stream?after=7'])
  })

  test('a stream in which nothing comes is left, and the log is polled', async () => {
    const { told, asked } = await follow(
      `chancery.STREAM_SILENCE_SECONDS = 0.3${following(1, 'after=5')}`,
      stream([], { stays: true }),
      events(6),
    )
    assert.deepEqual([told, asked.length], [[6], 2])
  })

  test('a stream that falls silent is opened again', async () => {
    const { told, asked } = await follow(
      `chancery.STREAM_SILENCE_SECONDS = 0.3${following(2, 'after=5')}`,
      stream([frame(6)], { stays: true }),
      stream([frame(7)]),
    )
    assert.deepEqual(
      [told, asked],
      [
        [6, 7],
        ['/events/stream?after=5', '/events/stream?after=6'],
      ],
    )
  })

  test('a line without end, or a line that is no event, does not harm', async () => {
    const { told } = await follow(
      following(3, 'after=5'),
      stream([frame(6), `data: ${'x'.repeat(2_000_000)}`]),
      stream([frame(7), 'id: 8\ndata: {"seq":9}\n\n']),
      stream([`id: ${'9'.repeat(5000)}\n\n`, frame(8)]),
    )
    assert.deepEqual(told, [6, 7, 8])
  })

  test('nothing is told twice, whatever is sent again', async () => {
    const { told } = await follow(
      `chancery.STREAM_AGAIN_SECONDS = 0.05${following(4, 'after=5, every=100')}`,
      stream([frame(6), frame(6), frame(5), frame(7)]),
      hangUp,
      events(6, 7, 8),
      stream([frame(8), frame(9)]),
    )
    assert.deepEqual(told, [6, 7, 8, 9])
  })

  test('an outage is waited out', async () => {
    const { told, asked } = await follow(
      following(2, 'after=5, stream=False, every=0.01'),
      hangUp,
      html(502),
      refusal(503, 'unavailable', { 'retry-after': '0' }),
      cutOff,
      html(200),
      json({ data: [{}] }),
      json({}),
      events(6),
      refusal(500, 'internal_error'),
      events(7),
    )
    assert.deepEqual([told, asked.length], [[6, 7], 10])
    assert.ok(
      asked.every(target => target.startsWith('/events?after=')),
      'no stream was asked for',
    )
  })

  test('what waiting does not mend is raised', async () => {
    for (const [status, code] of [
      [400, 'invalid_parameter'],
      [401, 'invalid_api_key'],
      [404, 'not_found'],
      [410, 'cursor_expired'],
    ] as const) {
      for (const more of ['after=5', 'after=5, stream=False']) {
        const { told, asked } = await follow(following(1, more), refusal(status, code))
        assert.deepEqual([told, asked.length], [[[code, status]], more === 'after=5' ? 2 : 1])
      }
    }
    const { told } = await follow(following(1, 'after=5'), res => res.writeHead(301, { location: '/' }).end())
    assert.deepEqual(told, [['unexpected_answer', 301]])
  })
})
