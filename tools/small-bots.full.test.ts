/** The small bot and the feed of the examples in both languages, with a fake Discord. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { type FakeDiscord, fakeDiscord } from '../examples/discord-bot/test/support/discord.ts'
import { smallWorld } from '../server/test/http/world.ts'
import { put } from '../server/test/ingest/facts.ts'
import { startTestServer, type TestServer } from '../server/test/support/test-server.ts'
import { until } from '../server/test/support/until.ts'
import { testCommands, testErrorsAndLimits } from './small-bots/bot-suites.ts'
import { javascript, pythonLanguage, startProgram, stop } from './small-bots/run-bot.ts'

testCommands(pythonLanguage)
for (const language of [javascript, pythonLanguage]) {
  testErrorsAndLimits(language)

  describe(`feed.${language.extension}`, { skip: language.skip ?? false }, () => {
    let chancery: TestServer
    let discord: FakeDiscord
    let cwd: string
    before(async () => {
      chancery = await startTestServer({}, { facts: smallWorld() })
      discord = await fakeDiscord()
      cwd = await mkdtemp(join(tmpdir(), 'chancery-feed-'))
    })
    after(async () => {
      await discord.close()
      await chancery.close()
      await rm(cwd, { recursive: true, force: true })
    })

    const positionFile = () => join(cwd, 'feed-position.txt')
    const sent = () =>
      discord.requests.filter(({ path }) => path.startsWith('/webhooks/')).map(({ body }) => body)
    const declare = (id: string) =>
      chancery.ingest([
        put('war', {
          id,
          attacker: { nation_id: 'n2' },
          defender: { nation_id: 'n6' },
          declared_at: '2026-05-20T10:00:00Z',
        }),
      ])
    /** Runs the feed until it has posted this number of messages in all. */
    async function runUntil(
      count: number,
      during: (posted: () => number) => Promise<unknown> = async () => {},
    ) {
      const { child, errors } = startProgram(language, 'feed', {
        url: chancery.url,
        discordApi: discord.rest.api,
        cwd,
        env: {
          DISCORD_WEBHOOK_URL: `https://discord.com/api/webhooks/123456789012345678/${'t'.repeat(68)}`,
        },
      })
      try {
        await during(() => sent().length)
        await until(
          () => {
            if (child.exitCode !== null) throw new Error(errors())
            return sent().length >= count
          },
          `${count} messages are posted`,
          30_000,
        )
        const { data } = await chancery.read<{ data: { seq: number }[] }>('/events?type=war.*&limit=1')
        await until(
          async () => Number(await readFile(positionFile(), 'utf8')) === data[0]?.seq,
          'the position is stored',
        )
      } finally {
        await stop(child)
      }
    }

    test('posts each war once, without mentions, and continues after a restart', async () => {
      await writeFile(positionFile(), '0')
      await runUntil(1)
      await declare('w2')
      await runUntil(2)
      const [first, second] = sent()
      assert.deepEqual(
        [first.content, second.content],
        ['Valdoria declared war on Tresk.', 'Karsk declared war on Ulmen.'],
      )
      assert.deepEqual(first.allowed_mentions.parse, [])
    })

    test('prints to the terminal without a channel', async () => {
      await writeFile(positionFile(), '0')
      const { child, errors } = startProgram(language, 'feed', {
        url: chancery.url,
        discordApi: discord.rest.api,
        cwd,
      })
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
        assert.equal((await lines.next()).value, `Waiting for events war.* of ${chancery.url}.`, errors())
        assert.equal((await lines.next()).value, 'Valdoria declared war on Tresk.', errors())
      } finally {
        await stop(child)
      }
    })

    test('says that events were missed, and continues with new ones', async () => {
      await writeFile(positionFile(), '1000000')
      const before = sent().length
      await runUntil(before + 2, async posted => {
        // The feed continues with what comes once it is connected again.
        let wars = 3
        await until(async () => {
          if (posted() === before + 1) await declare(`w${wars++}`)
          return posted() > before + 1
        }, 'a new war is posted')
      })
      const [gap, ...others] = sent().slice(before)
      assert.match(gap.content, /^Events were missed/)
      for (const { content } of others) assert.equal(content, 'Karsk declared war on Ulmen.')
    })
  })
}
