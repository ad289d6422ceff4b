import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChanceryEvent } from '@chancery/client'
import type { Reply } from '../src/command.ts'
import { commands } from '../src/commands/index.ts'
import { messageOf, pageId, readPageId } from '../src/discord.ts'
import { announcement } from '../src/events.ts'
import { testBot } from './support/bot.ts'
import { largestEvents, largestGame } from './support/largest.ts'

/** The limits of Discord's documentation, written down a second time on purpose. */
function assertDiscordAccepts(reply: Reply, command = commands.get('nation')) {
  const { components, allowedMentions } = messageOf(reply, command)
  assert.deepEqual(allowedMentions, { parse: [] })
  assert.equal(reply.embeds.length, 1)
  let total = 0
  const within = (text: string | undefined, max: number, part: string) => {
    if (text === undefined) return
    assert.ok(text.length >= 1 && text.length <= max, `${part}: ${text.length} of ${max}`)
    total += text.length
  }
  for (const { data } of reply.embeds) {
    const { title, description, footer, fields = [], url, thumbnail } = data
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
  assert.ok(total > 0 && total <= 6000, `all texts: ${total}`)
  const buttons = components.flatMap(row => row.components)
  const ids = buttons.map(({ data }) => ('custom_id' in data ? String(data.custom_id) : ''))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.ok(id.length >= 1 && id.length <= 100, id)
  for (const { data } of buttons) assert.ok('label' in data && (data.label ?? '').length <= 80)
}

const options: Record<string, string> = {
  nation: 'N'.repeat(100),
  alliance: 'A'.repeat(100),
  war: 'w'.repeat(64),
  code: 'K7PWM3XQ9T',
  role: '8'.repeat(20),
  channel: '8'.repeat(20),
}

/** Letters that take the most room, or change the direction of text. */
const letters =
  process.env.CHANCERY_TEST_TIER === 'quick'
    ? ['W', '*', '👍', '\n']
    : ['W', '*', '@', '`', '[', '漢', 'ש', '👍', 'a b ', '<@1> ', '\u202e', '\n', '# ']

const names = [...commands.keys()].flatMap(name =>
  name === 'setup' ? ['role', 'remove', 'channel', 'show'].map(sub => `setup ${sub}`) : [name],
)

for (const letter of letters)
  describe(`with the longest texts that the contract allows, of ${JSON.stringify(letter)}`, () => {
    for (const name of names)
      test(`Discord accepts the reply of ${name}`, async () => {
        const { execute, errors } = testBot({ baseUrl: 'http://game.example', fetch: largestGame(letter) })
        const reply = await execute(name, options, 987_654_321_012_345)
        assert.deepEqual(errors, [])
        assert.doesNotMatch(JSON.stringify(reply), /game’s API/, 'the game responded')
        assertDiscordAccepts(reply, commands.get(name.split(' ')[0] ?? ''))
      })

    test('Discord accepts the announcement of any event', () => {
      const announced = largestEvents(letter).flatMap(
        event => announcement(event as unknown as ChanceryEvent) ?? [],
      )
      assert.equal(announced.length, 3)
      for (const reply of announced) assertDiscordAccepts(reply)
    })
  })

test('the id of a button is no longer than Discord allows, and repeats the command with its first option', () => {
  for (const command of commands.values()) {
    const [option] = command.data.options.map(of => of.toJSON().name)
    const value = `id:${'i'.repeat(64)}`
    const page = 999_999_999_999_999
    const id = pageId(command, page, option && value)
    assert.ok(id.length <= 100)
    assert.deepEqual(readPageId(id, commands), {
      command,
      input: { options: option ? { [option]: value } : {}, page },
    })
  }
})

test('the id of another button is not read', () => {
  for (const id of ['', 'other', 'page|0|wars|', 'page|-1|wars|', 'page|1|gone|', 'page|x|wars|'])
    assert.equal(readPageId(id, commands), undefined)
})
