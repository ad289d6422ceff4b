import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { ChanceryEvent } from '@chancery/client'
import { handleEvent } from '../src/events.ts'
import { syncRoles } from '../src/roles.ts'
import { startTestBot, type TestBot } from './support/bot.ts'
import { applicationId, channelId, guildId, ownerId, roleIds } from './support/discord.ts'
import { largestGame } from './support/largest.ts'
import { caller } from './support/users.ts'

const other = '700000000000000002'
const page = { page: 1, limit: 15, total: 1, pages: 1 }
const failure = (status: number, code: string, headers = {}) => {
  const error = { code, message: 'secret detail', request_id: 'req_77' }
  return async () => Response.json({ error }, { status, headers })
}
const offline = async () => {
  throw new TypeError('fetch failed')
}

let bot: TestBot
let game: typeof fetch
before(async () => {
  bot = await startTestBot({ baseUrl: 'http://game.example', fetch: (...args) => game(...args) })
})
after(() => bot.close())
beforeEach(() => {
  game = largestGame('@')
  bot.errors.length = 0
  bot.requested.length = 0
  bot.discord.memberRoles.set(caller, new Set())
  bot.discord.tooHigh.clear()
  bot.discord.state.isDown = false
})

test('every command is registered, and setup with its four subcommands only for managers', async () => {
  const { body } = await bot.discord.request('PUT', new RegExp(`^/applications/${applicationId}/commands$`))
  const names = (items: { name: string }[]) => items.map(({ name }) => name).join(' ')
  assert.equal(
    names(body),
    'alliance conflict era history market nation nukes rankings setup verify war wars',
  )
  const [alliance] = body
  const setup = body.find(({ name }: { name: string }) => name === 'setup')
  assert.equal(names(setup.options), 'role remove channel show')
  // Manage Server and Manage Roles, and in servers alone.
  assert.equal(setup.default_member_permissions, String(0x20 | 0x10000000))
  assert.deepEqual(setup.contexts, [0])
  assert.equal(alliance.options[0].autocomplete, true)
})

describe('a command', () => {
  test('is acknowledged at once, then shown in the colour of the nation, without mentions', async () => {
    const { callback, shown } = await bot.execute('nation', { nation: 'id:n1' })
    assert.equal(callback.type, 5)
    assert.deepEqual(shown.allowed_mentions, { parse: [] })
    assert.equal(shown.embeds[0].color, 0xabcdef)
    assert.match(shown.embeds[0].title, /^@\u200b@\u200b/)
    assert.ok(bot.requested.includes('/nations/n1'))
  })

  test('that is private is shown only to its caller, and sends the caller’s account as `for`', async () => {
    const { callback } = await bot.execute('verify', { code: ' K7PWM3XQ9T ' })
    assert.deepEqual(callback, { type: 5, data: { flags: 64 } })
    assert.ok(bot.requested.includes(`/discord/verify/K7PWM3XQ9T?for=${caller}`))
  })

  test('that no longer exists is reported as such', async () => {
    const { callback, text } = await bot.execute('removed')
    assert.equal(callback.type, 4)
    assert.match(text, /This command no longer exists/)
  })
})

describe('on errors', () => {
  const calls: [string, Record<string, string>?][] = [
    ['nation', { nation: 'x' }],
    ['alliance', { alliance: 'x' }],
    ['war', { war: 'w1' }],
    ...['wars', 'market', 'rankings', 'conflict', 'era', 'nukes', 'history'].map((name): [string] => [name]),
    ['verify', { code: 'K7PWM3XQ9T' }],
  ]
  for (const [name, options] of calls)
    test(`${name} has a sentence for an unavailable service`, async () => {
      game = offline
      assert.match(await bot.run(name, options), /^The game’s API is unavailable at the moment\./)
      assert.deepEqual(bot.errors, [])
    })

  test('an exhausted rate limit is reported with the time to wait', async () => {
    // The client stops sending until then: it belongs to this test alone.
    const fetch = failure(429, 'rate_limited', { 'retry-after': '120' })
    const limited = await startTestBot({ baseUrl: 'http://game.example', fetch })
    assert.match(await limited.run('market'), /Please try again in 120 seconds\.$/)
    await limited.close()
  })

  test('an unknown failure shows its request id, and nothing else of it', async () => {
    game = failure(500, 'internal_error')
    const shown = await bot.run('market')
    assert.match(shown, /report req_77/)
    assert.doesNotMatch(shown, /secret/)
  })

  test('an error of the bot itself has a sentence, and is reported to its operator', async () => {
    game = async () => Response.json({ data: [{}], pagination: page })
    assert.match(await bot.run('market'), /^Something went wrong in this bot\./)
    assert.equal(bot.errors.length, 1)
  })
})

describe('pages', () => {
  test('have buttons, and a button shows the page that it names', async () => {
    const { shown } = await bot.execute('rankings', { board: 'alliances' })
    const [back, here, next] = shown.components[0].components
    assert.deepEqual([back.disabled, here.disabled, next.disabled], [true, true, false])
    const pressed = await bot.press(next.custom_id)
    assert.equal(pressed.callback.type, 6)
    assert.match(JSON.stringify(pressed.shown.components), /"2 of /)
    assert.ok(bot.requested.includes('/rankings?board=alliances&limit=10&page=2'))
  })

  test('are turned only by the user of the command', async () => {
    const { callback, shown, text } = await bot.press('page|2|wars|', { account: other })
    assert.deepEqual([callback.type, shown.flags], [4, 64])
    assert.match(text, /Get your own: \/wars/)
  })

  test('stay, with a message for their user, when the service is unavailable', async () => {
    game = offline
    const { shown, text } = await bot.press('page|2|wars|')
    assert.equal(shown.flags, 64)
    assert.match(text, /unavailable at the moment/)
  })

  for (const id of ['other', 'page|0|wars|', 'page|-1|wars|', 'page|1|gone|', 'page|x|wars|'])
    test(`are not shown for the button ${id}`, async () => {
      assert.match((await bot.press(id)).text, /no longer exists/)
    })
})

describe('autocomplete', () => {
  for (const name of ['nation', 'alliance'])
    test(`gives each ${name} as a label that Discord accepts, with its id`, async () => {
      const choices = await bot.complete(name, 'val')
      assert.equal(choices.length, 25)
      for (const choice of choices) {
        assert.ok(choice.name.length >= 1 && choice.name.length <= 100)
        assert.match(choice.value, /^id:.{1,97}$/)
      }
    })

  test('gives nothing while the service is unavailable', async () => {
    game = offline
    assert.deepEqual(await bot.complete('nation', 'val'), [])
  })
})

describe('roles', () => {
  const held = () => [...(bot.discord.memberRoles.get(caller) ?? [])]
  const verify = () => bot.run('verify', { code: 'K7PWM3XQ9T' })

  test('are given on verification, except for those that the bot may not give', async () => {
    for (const role of [roleIds.high, roleIds.low])
      assert.match(await bot.run('setup role', { role }), /from now on/)
    bot.discord.tooHigh.add(roleIds.high)
    bot.discord.memberRoles.set(caller, new Set())
    const shown = await verify()
    assert.match(shown, new RegExp(`Roles given: <@&${roleIds.low}>`))
    assert.match(shown, new RegExp(`The bot cannot assign <@&${roleIds.high}>`))
    assert.deepEqual(held(), [roleIds.low])
  })

  test('that Discord fails to give are an error of the bot', async () => {
    bot.discord.state.isDown = true
    assert.match(await verify(), /^Something went wrong in this bot\./)
    assert.equal(bot.errors.length, 1)
  })

  test('are removed when their rule is deleted', async () => {
    bot.discord.memberRoles.set(caller, new Set([roleIds.low, roleIds.own]))
    assert.match(await bot.run('setup remove', { role: roleIds.low }), /was removed/)
    assert.deepEqual(held(), [roleIds.own])
  })

  test('above the caller’s own cannot be set up', async () => {
    const manager = { account: other, roles: [roleIds.own] }
    const setup = (role: string, from = {}) => bot.run('setup role', { role }, from)
    for (const id of [roleIds.own, roleIds.high])
      assert.match(await setup(id, manager), /only roles below your own/)
    assert.match(await setup(roleIds.low, manager), /from now on/)
    assert.match(await setup(guildId), /cannot be assigned/)
  })

  test('are not set up in a guild without the bot, where permissions cannot be checked', async () => {
    const guild = '200000000000000002'
    const shown = await bot.run('setup role', { role: roleIds.high }, { guild })
    assert.match(shown, /The bot is not a member of this server/)
    assert.deepEqual(bot.store.rules(guild), [])
  })

  test('of an account that left the guild are not changed', async () => {
    const rules = [{ role: roleIds.low, allianceId: null, rank: null }]
    const membership = { allianceId: null, rank: null }
    const result = await syncRoles(bot.bot, { guild: guildId, account: other }, membership, rules)
    assert.deepEqual(result, { given: [], removed: [], refused: [] })
    assert.deepEqual(bot.errors, [])
  })
})

test('announcements are posted in the channel that was set up, without mentions', async () => {
  const shown = await bot.run('setup channel', { channel: channelId }, { account: ownerId })
  assert.match(shown, new RegExp(`announced in <#${channelId}>`))
  assert.equal(bot.store.newsChannel(guildId), channelId)
  const event = { type: 'war.renamed', summary: '@everyone look', war_id: null } as unknown as ChanceryEvent
  await handleEvent(event, bot.bot, { update() {}, updateAll() {} })
  const { body } = await bot.discord.request('POST', new RegExp(`^/channels/${channelId}/messages$`))
  assert.deepEqual(body.allowed_mentions, { parse: [] })
  assert.equal(body.embeds[0].description, '@\u200beveryone look')
})

test('the data of a guild is deleted when it removes the bot, but not while it is unavailable', async () => {
  const { store, discord } = bot
  store.addRule(guildId, { role: 'r', allianceId: null, rank: null })
  discord.dispatch('GUILD_DELETE', { id: guildId, unavailable: true })
  await bot.run('market')
  assert.ok(store.rules(guildId).length > 0)
  discord.dispatch('GUILD_DELETE', { id: guildId })
  await bot.run('market')
  const left = [store.rules(guildId), store.linksOfGuild(guildId), store.newsChannel(guildId)]
  assert.deepEqual(left, [[], [], undefined])
})
