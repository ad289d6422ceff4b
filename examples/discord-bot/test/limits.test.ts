import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ChanceryEvent } from '@chancery/client'
import type { APIEmbed } from 'discord.js'
import { commands } from '../src/bot.ts'
import { announcement } from '../src/events.ts'
import { startTestBot, type TestBot } from './support/bot.ts'
import { channelId, roleIds } from './support/discord.ts'
import { largestEvents, largestGame } from './support/largest.ts'

/** The limits of Discord's documentation, written down a second time on purpose. */
function assertDiscordAccepts({ title, description, footer, fields = [], url, thumbnail }: APIEmbed) {
  let total = 0
  const within = (text: string | undefined, max: number, part: string) => {
    if (text === undefined) return
    assert.ok(text.length >= 1 && text.length <= max, `${part}: ${text.length} of ${max}`)
    total += text.length
  }
  within(title, 256, 'title')
  within(description, 4096, 'description')
  within(footer?.text, 2048, 'footer')
  assert.ok(fields.length <= 25)
  for (const field of fields) {
    within(field.name, 256, 'field name')
    within(field.value, 1024, 'field value')
  }
  for (const address of [url, thumbnail?.url]) if (address) assert.ok(URL.canParse(address))
  assert.ok(total > 0 && total <= 6000, `all texts: ${total}`)
}

const options: Record<string, Record<string, string>> = {
  nation: { nation: 'N'.repeat(100) },
  alliance: { alliance: 'A'.repeat(100) },
  war: { war: 'w'.repeat(64) },
  wars: { nation: 'N'.repeat(100) },
  rankings: { board: 'nations', by: 'prestige' },
  verify: { code: 'K7PWM3XQ9T' },
  'setup role': { role: roleIds.low, alliance: 'A'.repeat(100) },
  'setup remove': { role: roleIds.low },
  'setup channel': { channel: channelId },
}
const names = [...commands.keys()].flatMap(name =>
  name === 'setup' ? ['role', 'remove', 'channel', 'show'].map(sub => `setup ${sub}`) : [name],
)

/** Letters that take the most room, or change the direction of text. */
const letters =
  process.env.CHANCERY_TEST_TIER === 'quick'
    ? ['W', '*', '👍', '\n']
    : ['W', '*', '@', '`', '[', '漢', 'ש', '👍', 'a b ', '<@1> ', '\u202e', '\n', '# ']

for (const letter of letters)
  describe(`with the longest texts that the contract allows, of ${JSON.stringify(letter)}`, () => {
    let bot: TestBot
    before(async () => {
      bot = await startTestBot({ baseUrl: 'http://game.example', fetch: largestGame(letter) })
    })
    after(() => bot.close())

    for (const name of names)
      test(`Discord accepts the reply of ${name}`, async () => {
        const replies = [await bot.execute(name, options[name])]
        const buttons = replies[0]?.shown.components?.[0]?.components ?? []
        const ids = buttons.map((of: { custom_id: string }) => of.custom_id)
        assert.equal(new Set(ids).size, ids.length)
        // The longest page number that a button may have.
        if (ids.length > 0) replies.push(await bot.press(ids.at(-1).replace('|2|', '|987654321012345|')))
        assert.deepEqual(bot.errors, [])
        for (const { shown, text } of replies) {
          assert.doesNotMatch(text, /game’s API/, 'the game responded')
          assert.deepEqual(shown.allowed_mentions, { parse: [] })
          for (const row of shown.components ?? [])
            for (const { custom_id, label } of row.components)
              assert.ok(custom_id.length <= 100 && label.length <= 80, custom_id)
          if (shown.content) assert.ok(shown.content.length <= 2000)
          else assert.equal(shown.embeds.length, 1)
          for (const embed of shown.embeds ?? []) assertDiscordAccepts(embed)
        }
      })

    test('Discord accepts the announcement of any event', () => {
      const announced = largestEvents(letter).flatMap(
        event => announcement(event as unknown as ChanceryEvent) ?? [],
      )
      assert.equal(announced.length, 5)
      for (const embed of announced) assertDiscordAccepts(embed.toJSON())
    })
  })
