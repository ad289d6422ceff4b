import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChanceryEvent } from '@chancery/client'
import { announcement } from '../src/announcement.ts'
import { answer } from '../src/answer.ts'
import { commands } from '../src/commands/index.ts'
import { customIdMax, pageId, readPageId } from '../src/discord/page-id.ts'
import { type Payload, payload } from '../src/discord/payload.ts'
import { testBot } from './support/bot.ts'
import { largestEvents, largestGame } from './support/largest.ts'

/** What Discord's documentation says, written down a second time on purpose. */
function assertDiscordTakes({ embeds, components, allowedMentions }: Payload) {
  assert.deepEqual(allowedMentions, { parse: [] })
  assert.ok(embeds.length >= 1 && embeds.length <= 10)
  let total = 0
  const within = (text: string | undefined, max: number, what: string) => {
    if (text === undefined) return
    assert.ok(text.length >= 1 && text.length <= max, `${what}: ${text.length} of ${max}`)
    total += text.length
  }
  for (const { title, description, footer, fields = [], url, thumbnail } of embeds) {
    within(title, 256, 'title')
    within(description, 4096, 'description')
    within(footer?.text, 2048, 'footer')
    assert.ok(fields.length <= 25)
    for (const field of fields) {
      within(field.name, 256, 'field name')
      within(field.value, 1024, 'field value')
    }
    for (const address of [url, thumbnail?.url]) if (address !== undefined) assert.ok(URL.canParse(address))
  }
  assert.ok(total <= 6000, `all texts: ${total}`)
  assert.ok(total > 0)
  const ids = components.flatMap(row => row.components.map(button => button.custom_id))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.ok(id.length >= 1 && id.length <= 100, id)
  for (const button of components.flatMap(row => row.components)) assert.ok((button.label ?? '').length <= 80)
}

const values: Record<string, string> = {
  nation: 'N'.repeat(100),
  alliance: 'A'.repeat(100),
  war: 'w'.repeat(64),
  code: 'K7PWM3XQ9T',
  role: '8'.repeat(20),
  channel: '8'.repeat(20),
}
const asked = { values, page: 987_654_321_012_345, account: '9'.repeat(20), guild: '1'.repeat(20) }

/** Letters that take the most room, or turn things around. */
const letters =
  process.env.CHANCERY_TEST_TIER === 'quick'
    ? ['W', '*', '👍', '\n']
    : ['W', '*', '@', '`', '[', '漢', 'ש', '👍', 'a b ', '<@1> ', '\u202e', '\n', '# ']

for (const letter of letters)
  describe(`with the longest texts that the contract allows, of ${JSON.stringify(letter)}`, () => {
    for (const command of commands)
      test(`Discord takes the reply of ${command.name}`, async () => {
        const { bot, errors } = testBot({ baseUrl: 'http://game.example', fetch: largestGame(letter) })
        const reply = await answer(command, asked, bot, { onError: err => errors.push(err) })
        assert.deepEqual(errors, [])
        assert.doesNotMatch(JSON.stringify(reply), /office/, 'the game did answer')
        assertDiscordTakes(payload(reply, command))
      })

    test('Discord takes what a channel hears of any event', () => {
      const told = largestEvents(letter).flatMap(
        event => announcement(event as unknown as ChanceryEvent) ?? [],
      )
      assert.equal(told.length, 3)
      for (const reply of told) assertDiscordTakes(payload(reply))
    })
  })

test('the id of a button is no longer than Discord allows, and says again what was asked', () => {
  for (const command of commands.filter(({ isPrivate }) => !isPrivate)) {
    const again = Object.fromEntries(
      command.options.slice(0, 1).map(({ name }) => [name, `id:${'i'.repeat(64)}`]),
    )
    const page = { command, values: again, page: 999_999_999_999_999 }
    assert.ok(pageId(page).length <= customIdMax)
    assert.deepEqual(readPageId(pageId(page), commands), page)
  }
})

test('the id of another button is none of ours', () => {
  for (const id of ['', 'other', 'page|0|wars|', 'page|-1|wars|', 'page|1|gone|', 'page|x|wars|'])
    assert.equal(readPageId(id, commands), undefined)
})

test('an address that Discord could not read is left out, and the rest is told', () => {
  const { embeds } = payload({
    embeds: [{ lines: [[{ text: 'x' }]], url: 'https://', picture: 'https://a b' }],
  })
  assert.deepEqual(embeds, [{ description: 'x' }])
})
