/** What each file of examples/send-facts promises, tested with a real service. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { useTestServer } from '../../server/test/support/fixture.ts'
import { until } from '../../server/test/support/until.ts'

export const sources = fileURLToPath(new URL('../../examples/send-facts', import.meta.url))

interface Reply {
  result?: unknown
  error?: string
}

type Call =
  | ['put', string, object]
  | ['delete', string, string]
  | ['event', string, object, object]
  | ['batch', object[], string | null]
  | ['set_aside', object[]]
  | ['deliver']

/** Tests a sender. `command`: the driver, which takes the address, the spool and its limit in bytes. */
export function testSender(language: string, command: readonly string[], skip?: string): void {
  const [program = '', ...words] = command
  describe(`the sender for ${language}`, { skip }, () => {
    const chancery = useTestServer()
    const withSpool = (name: string, run: (spool: string) => Promise<void>) =>
      test(name, async () => {
        const folder = await mkdtemp(join(tmpdir(), 'chancery-send-'))
        try {
          await run(join(folder, 'spool'))
        } finally {
          await rm(folder, { recursive: true })
        }
      })

    /** Runs the driver, calls the sender, and returns its replies and what it logged. */
    async function call(
      spool: string,
      calls: readonly Call[],
      { url = chancery.operatorUrl, token = chancery.operatorToken, bytesMax = 1_000_000 } = {},
    ): Promise<{ replies: Reply[]; logged: string }> {
      const child = spawn(program, [...words, url, spool, String(bytesMax)], {
        env: { ...process.env, SEND_FACTS: sources, CHANCERY_OPERATOR_TOKEN: token },
      })
      const ended = once(child, 'exit')
      const logged = buffer(child.stderr)
      child.stdin.end(calls.map(each => `${JSON.stringify(each)}\n`).join(''))
      const replies: Reply[] = []
      for await (const line of createInterface({ input: child.stdout }))
        replies.push(JSON.parse(line) as Reply)
      await ended
      return { replies, logged: (await logged).toString() }
    }

    const nation = (id: string, motto = 'none') => ({
      op: 'put',
      resource: 'nation',
      data: { id, nation_name: id, motto },
    })
    const mottoOf = async (id: string) =>
      (await chancery.read<{ data: { motto: string } }>(`/nations/${id}`)).data.motto
    const statusesOf = ({ result }: Reply = {}) =>
      ((result ?? []) as { status: string }[]).map(({ status }) => status)
    const foundings = async (id: string) =>
      (await chancery.read<{ data: unknown[] }>(`/events?type=nation.founded&nation_id=${id}`)).data.length

    withSpool('sends facts in the order of the calls', async spool => {
      const { replies } = await call(spool, [
        ['put', 'nation', { id: 'one', nation_name: 'Ünï', motto: 'a/b "c"' }],
        ['put', 'nation', { id: 'gone', nation_name: 'Gone' }],
        ['delete', 'nation', 'gone'],
        ['event', 'game.disaster', { disaster: 'flood' }, { nation_ids: ['one'], summary: 'A flood.' }],
        ['batch', [nation('two'), nation('three')], 'turn-1'],
        ['batch', [nation('two'), nation('three')], 'turn-1'],
        ['deliver'],
      ])
      assert.deepEqual(statusesOf(replies.at(-1)), [...Array(5).fill('applied'), 'duplicate'])
      assert.equal(await mottoOf('one'), 'a/b "c"')
      assert.equal((await chancery.get('/nations/gone')).status, 404)
      const { data } = await chancery.read<{ data: { summary: string }[] }>(
        '/events?type=game.disaster&nation_id=one',
      )
      assert.deepEqual(
        data.map(({ summary }) => summary),
        ['A flood.'],
      )
      assert.deepEqual(
        (await readdir(spool)).filter(name => name.endsWith('.ndjson')),
        [],
      )
    })

    withSpool('reports a rejected batch with its reasons, and sends the others', async spool => {
      const wrong = { op: 'put', resource: 'nation', data: { id: 'wrong', city_count: -1 } }
      const { replies, logged } = await call(spool, [
        ['batch', [nation('before')], null],
        ['batch', [nation('with-wrong'), wrong], 'wrong-1'],
        ['batch', [nation('behind')], null],
        ['deliver'],
      ])
      assert.deepEqual(statusesOf(replies.at(-1)), ['applied', 'refused', 'applied'])
      assert.match(logged, /batch wrong-1 was rejected \(refused\): line 2 \/data\/city_count: must be/)
      assert.equal((await chancery.get('/nations/with-wrong')).status, 404)
    })

    withSpool('sets facts aside that do not fit, which are applied once they do', async spool => {
      const member = {
        op: 'put',
        resource: 'alliance_member',
        data: { nation_id: 'early', alliance_id: language },
      }
      const { replies } = await call(spool, [
        ['set_aside', [nation('early'), member]],
        ['put', 'alliance', { id: language, name: 'Late' }],
        ['deliver'],
      ])
      assert.deepEqual(statusesOf(replies.at(-1)), ['applied', 'applied'])
      await until(async () => {
        const { data } = await chancery.read<{ data: { alliance: object | null } }>('/nations/early')
        return data.alliance !== null
      }, 'the membership is applied')
    })

    withSpool('keeps what cannot be sent, and the next process sends it in order', async spool => {
      const { replies } = await call(
        spool,
        [
          ['batch', [nation('patient', 'first')], null],
          ['put', 'nation', { id: 'patient', motto: 'second' }],
          ['deliver'],
        ],
        { url: 'http://127.0.0.1:9' },
      )
      assert.match(replies.at(-1)?.error ?? '', /the service is not reachable/)
      const later = await call(spool, [['deliver']])
      assert.deepEqual(statusesOf(later.replies[0]), ['applied', 'applied'])
      assert.equal(await mottoOf('patient'), 'second')
    })

    withSpool('applies nothing twice when a response is lost', async spool => {
      const proxy = await startCuttingProxy(chancery.operatorUrl)
      const calls: Call[] = ['cut-1', 'cut-2', 'cut-3'].map(id => ['batch', [nation(id)], null])
      const { replies } = await call(spool, [...calls, ['deliver'], ['deliver']], { url: proxy.url })
      await proxy.close()
      assert.ok(replies.at(-2)?.error, JSON.stringify(replies))
      assert.deepEqual([...new Set(statusesOf(replies.at(-1)))], ['duplicate'])
      for (const id of ['cut-1', 'cut-2', 'cut-3']) assert.equal(await foundings(id), 1)
    })

    withSpool('takes no more than the spool may contain, and loses nothing that it took', async spool => {
      const { replies } = await call(
        spool,
        [
          ['batch', [nation('taken')], null],
          ['batch', [nation('too-many')], null],
          ['deliver'],
          ['batch', [nation('later')], null],
          ['deliver'],
        ],
        { bytesMax: 200 },
      )
      assert.match(replies[1]?.error ?? '', /would exceed 200/)
      assert.deepEqual([replies[2], replies[4]].map(statusesOf), [['applied'], ['applied']])
      assert.equal((await chancery.get('/nations/too-many')).status, 404)
    })

    withSpool('names a wrong token without its text, and rejects wrong addresses', async spool => {
      const { replies } = await call(spool, [['batch', [nation('locked-out')], null], ['deliver']], {
        token: 'wrong-token',
      })
      assert.match(replies[1]?.error ?? '', /status 401/)
      assert.doesNotMatch(JSON.stringify(replies), /wrong-token/)
      const { logged, replies: none } = await call(spool, [['deliver']], { url: 'ftp://game.example' })
      assert.deepEqual(none, [])
      assert.match(logged, /must be/)
    })
  })
}

/** Forwards requests, and cuts the first response off after the service has sent it. */
async function startCuttingProxy(target: string) {
  let isFirst = true
  const server = createServer(async (req, res) => {
    const body = await buffer(req)
    const forwarded = request(
      target + req.url,
      { method: req.method ?? 'GET', headers: req.headers },
      async response => {
        const received = await buffer(response)
        if (isFirst) res.destroy()
        else res.writeHead(response.statusCode ?? 500).end(received)
        isFirst = false
      },
    )
    forwarded.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
