import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { until } from '../../server/test/support/until.ts'
import {
  BatchRejectedError,
  type Outcome,
  openSender,
  QueueFullError,
  type Sender,
  type SenderOptions,
} from '../src/index.ts'
import type { GameFacts } from './meridian-facts.ts'

const chancery = useTestServer()

let folder: string
let messages: string[] = []
let opened: Sender<GameFacts>[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chancery-game-'))
  messages = []
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map(sender => sender.close(0)))
  await rm(folder, { recursive: true })
})

async function open(options: SenderOptions = {}): Promise<Sender<GameFacts>> {
  const sender = await openSender<GameFacts>({
    url: chancery.operatorUrl,
    token: chancery.operatorToken,
    collectMs: 5,
    log: message => messages.push(message),
    ...options,
  })
  opened.push(sender)
  return sender
}

const spool = () => join(folder, 'spool')
const nation = (id: string, motto: string | null = null) =>
  ({ op: 'put', resource: 'nation', data: { id, nation_name: id, motto } }) as const
const mottoOf = async (id: string) => {
  const { data } = await chancery.read<{ data: { motto: string | null } }>(`/nations/${id}`)
  return data.motto
}
const foundedNations = async () => {
  const { data } = await chancery.read<{ data: { nation_ids: string[] }[] }>(
    '/events?type=nation.founded&limit=100',
  )
  return data.flatMap(({ nation_ids }) => nation_ids)
}
/** A service that cannot be reached until `isUp`. */
function withOutage() {
  const outage = {
    isUp: false,
    fetch: ((url, init) => {
      if (!outage.isUp)
        return Promise.reject(
          Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }),
        )
      return fetch(url, init)
    }) as typeof fetch,
  }
  return outage
}

test('single facts are collected and applied in the order of the calls', async () => {
  const sender = await open()
  sender.put('nation', { id: 'single', nation_name: 'Single', motto: 'first' })
  sender.put('nation', { id: 'single', motto: 'second' })
  sender.put('nation', { id: 'gone', nation_name: 'Gone' })
  sender.delete('nation', 'gone')
  sender.event(
    'game.disaster',
    { disaster: 'flood', severity: 3 },
    { nation_ids: ['single'], summary: 'A flood.' },
  )
  await sender.flush()
  assert.equal(await mottoOf('single'), 'second')
  assert.equal((await chancery.get('/nations/gone')).status, 404)
  const { data } = await chancery.read<{ data: { type: string; summary: string }[] }>(
    '/events?nation_id=single',
  )
  assert.ok(data.some(({ type, summary }) => type === 'game.disaster' && summary === 'A flood.'))
})

test('a batch resolves with its outcome, and is applied once under its id', async () => {
  const sender = await open()
  const first = await sender.batch([nation('turn')], { id: 'turn-1' })
  assert.deepEqual([first.status, first.batch, first.facts], ['applied', 'turn-1', 1])
  const again = await sender.batch([nation('turn')], { id: 'turn-1' })
  assert.equal(again.status, 'duplicate')
})

test('a rejected batch names its facts and reasons, and those before and behind it are applied', async () => {
  const rejected: Outcome[] = []
  const sender = await open({ onRejected: outcome => rejected.push(outcome) })
  const wrong = { op: 'put', resource: 'nation', data: { id: 'wrong', city_count: -1 } } as const
  const [, before, failed, behind] = await Promise.allSettled([
    sender.batch([nation('sent-alone')]),
    sender.batch([nation('before'), nation('before-2')]),
    sender.batch([nation('with-wrong'), wrong]),
    sender.batch([nation('behind')]),
  ])
  assert.deepEqual([before?.status, behind?.status], ['fulfilled', 'fulfilled'])
  assert.ok(failed?.status === 'rejected' && failed.reason instanceof BatchRejectedError)
  assert.match(failed.reason.message, /line 2 \/data\/city_count: must be/)
  assert.deepEqual(rejected, [failed.reason.outcome])
  assert.equal(failed.reason.outcome.is_kept, true)
  assert.equal((await chancery.get('/nations/with-wrong')).status, 404)
})

test('facts wait while the service cannot be reached, and an outage is logged once', async () => {
  const outage = withOutage()
  const sender = await open({ fetch: outage.fetch })
  const applied = sender.batch([nation('patient')])
  await until(() => messages.length > 0, 'the outage is logged')
  outage.isUp = true
  assert.equal((await applied).status, 'applied')
  assert.deepEqual(messages, [
    'the service is not reachable (ECONNREFUSED); 1 batches wait',
    'the service takes facts again',
  ])
})

test('nothing is lost or applied twice when requests fail before, within and after the response', async () => {
  let requests = 0
  const failing = (async (url, init) => {
    requests += 1
    if (requests % 4 === 1) throw new TypeError('fetch failed')
    const response = await fetch(url, init)
    if (requests % 4 === 2) {
      await response.text()
      throw new TypeError('terminated')
    }
    if (requests % 4 === 3) {
      const [first = ''] = (await response.text()).split('\n')
      return new Response(`${first}\n`)
    }
    return response
  }) as typeof fetch
  const sender = await open({ fetch: failing })
  const ids = Array.from({ length: 12 }, (_, index) => `fault-${index}`)
  const outcomes = await Promise.all(ids.map(id => sender.batch([nation(id)])))
  assert.ok(outcomes.every(({ status }) => status === 'applied' || status === 'duplicate'))
  const founded = (await foundedNations()).filter(id => id.startsWith('fault-'))
  assert.deepEqual(founded.toReversed(), ids)
})

test('what a sender could not send is sent by the next one with its spool, in order', async () => {
  const outage = withOutage()
  const first = await open({ spool: spool(), fetch: outage.fetch })
  const lost = first.batch([nation('spooled', 'one')])
  first.put('nation', { id: 'spooled', motto: 'two' })
  await first.stored()
  await first.close(0)
  await assert.rejects(lost, /closed before the service responded/)
  const second = await open({ spool: spool() })
  assert.equal(second.waiting, 2)
  await second.flush()
  assert.equal(await mottoOf('spooled'), 'two')
  assert.equal(second.waiting, 0)
  assert.deepEqual((await readdir(spool())).sort(), ['lock', 'rejected'])
})

test('a spool without an end of a batch is sent without it', async () => {
  const outage = withOutage()
  const first = await open({ spool: spool(), fetch: outage.fetch })
  await Promise.race([first.batch([nation('whole')]), first.stored()])
  await first.close(0)
  await writeFile(join(spool(), '000000000002.ndjson'), JSON.stringify(nation('cut-off')))
  await writeFile(join(spool(), '000000000003.ndjson.new'), JSON.stringify(nation('interrupted')))
  const second = await open({ spool: spool() })
  await second.flush()
  assert.equal((await chancery.get('/nations/whole')).status, 200)
  assert.match(messages.join('\n'), /000000000002\.ndjson has no commit in its last line/)
  assert.deepEqual(await readdir(join(spool(), 'rejected')), ['000000000002.ndjson'])
  assert.deepEqual((await readdir(spool())).sort(), ['lock', 'rejected'])
})

test('a spool has one sender', async () => {
  const first = await open({ spool: spool() })
  await assert.rejects(open({ spool: spool() }), /is used by another sender/)
  await first.close()
  const second = await open({ spool: spool() })
  await second.batch([nation('alone')])
})

test('a lock whose process no longer runs is taken over', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const longAgo = new Date(Date.now() - 60_000)
  for (const holder of [JSON.stringify({ pid, host: hostname() }), '']) {
    await mkdir(spool(), { recursive: true })
    await writeFile(join(spool(), 'lock'), holder)
    if (holder === '') await utimes(join(spool(), 'lock'), longAgo, longAgo)
    const sender = await open({ spool: spool() })
    await sender.close()
  }
})

test('a rejected batch that the service does not keep stays in the spool', async () => {
  const notKept = (async (url, init) => {
    const outcome = (await (await fetch(url, init)).text()).replace('"is_kept":true', '"is_kept":false')
    return new Response(outcome)
  }) as typeof fetch
  const sender = await open({ spool: spool(), fetch: notKept })
  const wrong = { op: 'put', resource: 'nation', data: { id: 'kept', city_count: -1 } } as const
  await assert.rejects(sender.batch([wrong], { id: 'not-kept' }), BatchRejectedError)
  const [file = ''] = await readdir(join(spool(), 'rejected'))
  assert.match(await readFile(join(spool(), 'rejected', file), 'utf8'), /"batch":"not-kept"/)
  assert.equal(sender.waiting, 0)
})

test('a full queue takes no more facts until some were sent, and loses none that it took', async () => {
  const outage = withOutage()
  const sender = await open({ fetch: outage.fetch, bytesMax: 300, collectMax: 1 })
  const taken: string[] = []
  const put = (id: string) => {
    sender.put('nation', { id, nation_name: id })
    taken.push(id)
  }
  assert.throws(() => {
    for (let index = 0; index < 10; index += 1) put(`full-${index}`)
  }, QueueFullError)
  assert.ok(taken.length >= 2 && taken.length < 10, `${taken.length}`)
  outage.isUp = true
  await until(() => sender.waiting === 0, 'the queue is empty')
  put('full-later')
  await sender.flush()
  for (const id of taken) assert.equal((await chancery.get(`/nations/${id}`)).status, 200, id)
})

test('a batch larger than a request with a length is streamed', async () => {
  const sender = await open({ spool: spool() })
  const facts = Array.from({ length: 30 }, (_, index) => ({
    op: 'put' as const,
    resource: 'news_item' as const,
    data: {
      id: `long-${index}`,
      title: 'Long',
      body: 'x'.repeat(9_000),
      published_at: '2026-05-01T00:00:00Z',
    },
  }))
  const many = Array.from({ length: 20 }, () => facts).flat()
  const outcome = await sender.batch(many)
  assert.deepEqual([outcome.status, outcome.facts], ['applied', many.length])
})

test('a wrong token is named without its text', async () => {
  const sender = await open({ token: 'chs_wrong-token-of-a-game' })
  sender.batch([nation('locked-out')]).catch(() => undefined)
  await until(() => messages.length > 0, 'the failure is logged')
  assert.match(messages.join(), /status 401/)
  assert.doesNotMatch(messages.join(), /wrong-token/)
})

test('wrong options are refused', async () => {
  await assert.rejects(open({ url: 'ftp://game.example' }), /url is ftp:/)
  await assert.rejects(open({ token: '' }), /a token is required/)
  const sender = await open()
  await assert.rejects(sender.batch([]), /needs a fact/)
  await sender.close()
  assert.throws(() => sender.put('nation', { id: 'late' }), /closed/)
})
