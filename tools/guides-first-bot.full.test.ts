/** The programs of the guide to a first bot run in both languages, in a terminal and into a channel. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { needs, readGuide, runBlock } from './guides/guide.ts'

const guide = await readGuide('your-first-bot')

interface War {
  summary: string
}

let chancery: TestServer
let wars: string[]
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld())
  const { data } = await chancery.read<{ data: War[] }>('/events?type=war.*&after=0')
  wars = data.map(({ summary }) => summary)
  assert.ok(wars.length > 0)
})
after(() => chancery.close())

test('the first request returns three nations', needs('curl'), async () => {
  const { data } = JSON.parse(await runBlock(guide, 'first.sh', { url: chancery.url }))
  assert.equal(data.length, 3)
})

/** Receives messages as a channel does. */
async function openChannel(): Promise<{ url: string; messages: unknown[]; server: Server }> {
  const messages: unknown[] = []
  const server = createServer(async (req, res) => {
    messages.push(await json(req))
    res.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, messages, server }
}

for (const [language, needed] of [
  ['ts', {}],
  ['py', needs('python3')],
] as const) {
  describe(language, needed, () => {
    test('a nation is found by name, and an unknown name has a sentence', async () => {
      const find = (name: string) =>
        runBlock(guide, `nation.${language}`, { url: chancery.url, args: [name] })
      const { data } = await chancery.read<{ data: { nation_name: string; national_score: number }[] }>(
        '/nations?search=karsk',
      )
      assert.match(
        await find('kar'),
        RegExp(`^${data[0]?.nation_name}.*: ${data[0]?.national_score} points, rank \\d+\n$`),
      )
      assert.equal(await find('no such name'), 'No nation is called no such name.\n')
    })

    test('an unavailable game has a sentence', async () => {
      const printed = await runBlock(guide, `nation.${language}`, {
        url: 'http://127.0.0.1:9',
        args: ['kar'],
      })
      assert.match(printed, /^The game does not respond/)
    })

    test('wars are printed in order, each once', async () => {
      const args = ['0', String(wars.length)]
      const printed = await runBlock(guide, `wars.${language}`, { url: chancery.url, args })
      assert.deepEqual(printed.trimEnd().split('\n'), wars)
    })

    test('wars are posted into a channel, without mentions', async () => {
      const { url, messages, server } = await openChannel()
      try {
        await runBlock(guide, `wars.${language}`, {
          url: chancery.url,
          args: ['0', '1'],
          env: { DISCORD_WEBHOOK_URL: url },
        })
        assert.deepEqual(messages, [{ content: wars[0], allowed_mentions: { parse: [] } }])
      } finally {
        server.close()
      }
    })
  })
}
