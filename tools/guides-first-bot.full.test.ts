/** The programs of the guide to a first bot that need no Discord run in both languages. tools/small-bots*.test.ts run the others. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { smallWorld } from '../server/test/http/world.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { needs, readGuide, runBlock } from './guides/guide.ts'

const guide = await readGuide('your-first-bot')

let chancery: TestServer
before(async () => {
  chancery = await startTestServer()
  await chancery.ingest(smallWorld())
})
after(() => chancery.close())

test('the first request returns three nations', needs('curl'), async () => {
  const { data } = JSON.parse(await runBlock(guide, 'first.sh', { url: chancery.url }))
  assert.equal(data.length, 3)
})

for (const [language, needed] of [
  ['mjs', {}],
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
      await assert.rejects(runBlock(guide, `nation.${language}`, { url: chancery.url }), {
        code: 1,
        stderr: /^Usage: \w+ nation\.\w+ NAME\n$/,
      })
    })

    test('an unavailable game has a sentence', async () => {
      const printed = await runBlock(guide, `nation.${language}`, {
        url: 'http://127.0.0.1:9',
        args: ['kar'],
      })
      assert.match(printed, /^The game does not respond/)
    })
  })
}
