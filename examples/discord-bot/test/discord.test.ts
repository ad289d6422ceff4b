import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Chancery } from '@chancery/client'
import { sentence } from '../src/command.ts'
import { commands } from '../src/commands/index.ts'
import { type Connection, connectDiscord } from '../src/discord.ts'
import { createGameTerms } from '../src/game-terms.ts'
import { openStore, type Store } from '../src/store.ts'
import { name } from '../src/text.ts'
import {
  applicationId,
  channelId,
  type FakeDiscord,
  fakeDiscord,
  guildId,
  guildRoles,
  member,
  message,
  ownerId,
  roleIds,
  user,
} from './support/discord.ts'
import { largestGame } from './support/largest.ts'

const caller = '700000000000000001'
const other = '700000000000000002'

let discord: FakeDiscord
let connection: Connection
let store: Store
let isOffline = false
const requested: string[] = []
const errors: unknown[] = []
let interactions = 0

before(async () => {
  discord = await fakeDiscord()
  store = openStore(':memory:')
  const game = largestGame('@')
  const client = new Chancery({
    baseUrl: 'http://game.example',
    retries: 0,
    cacheSeconds: 0,
    fetch: async (input, init) => {
      requested.push(String(input))
      if (isOffline) throw new TypeError('fetch failed')
      return game(input, init)
    },
  })
  connection = await connectDiscord({
    token: 'token-of-a-test',
    commands,
    api: client,
    terms: createGameTerms(client),
    store,
    onError: err => errors.push(err),
    rest: { api: discord.api },
  })
})
after(async () => {
  await connection.close()
  await discord.close()
})
beforeEach(() => {
  isOffline = false
  errors.length = 0
  discord.memberRoles.set(caller, new Set())
  discord.tooHigh.clear()
})

/** Sends an interaction; returns the token of its response. */
function happen(
  type: number,
  data: object,
  { account = caller, more = {}, roles = [] as string[] } = {},
): string {
  interactions += 1
  const token = `token${interactions}`
  discord.dispatch('INTERACTION_CREATE', {
    id: String(800000000000000000n + BigInt(interactions)),
    application_id: applicationId,
    type,
    token,
    version: 1,
    guild_id: guildId,
    channel_id: channelId,
    channel: { id: channelId, type: 0 },
    member: { ...member(account, roles), user: user(account) },
    locale: 'en-GB',
    app_permissions: '0',
    entitlements: [],
    authorizing_integration_owners: {},
    context: 0,
    attachment_size_limit: 1,
    data,
    ...more,
  })
  return token
}

const slash = (name: string, options: object[] = [], more: object = {}) => ({
  id: '900000000000000001',
  type: 1,
  name,
  options,
  ...more,
})
const option = (name: string, value: string, type = 3) => ({ name, type, value })
const callback = (token: string) => discord.call('POST', new RegExp(`/${token}/callback$`))
const edit = async (token: string) =>
  (await discord.call('PATCH', new RegExp(`/webhooks/${applicationId}/${token}/messages/@original$`))).body
const shown = async (token: string) => JSON.stringify((await edit(token)).embeds)

test('every command is registered, and setup with its four subcommands only for managers', async () => {
  const { body } = await discord.call('PUT', new RegExp(`^/applications/${applicationId}/commands$`))
  const names = body.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, [
    ...[
      'nation',
      'alliance',
      'war',
      'wars',
      'market',
      'rankings',
      'conflict',
      'era',
      'nukes',
      'history',
      'verify',
    ],
    'setup',
  ])
  const setup = body.at(-1)
  assert.deepEqual(
    setup.options.map(({ name }: { name: string }) => name),
    ['role', 'remove', 'channel', 'show'],
  )
  // Manage Server and Manage Roles, and in servers alone.
  assert.equal(setup.default_member_permissions, String(0x20 | 0x10000000))
  assert.deepEqual(setup.contexts, [0])
  assert.equal(body[0].options[0].autocomplete, true)
})

describe('a command', () => {
  test('is acknowledged at once, then shown in the colour of the nation, without mentions', async () => {
    const token = happen(2, slash('nation', [option('nation', 'id:n1')]))
    assert.deepEqual((await callback(token)).body.type, 5)
    const body = await edit(token)
    assert.deepEqual(body.allowed_mentions, { parse: [] })
    assert.equal(body.embeds[0].color, 0xabcdef)
    assert.match(body.embeds[0].title, /^@\u200b@\u200b/)
    assert.ok(requested.at(-1)?.endsWith('/nations/n1') || requested.at(-2)?.endsWith('/nations/n1'))
  })

  test('that is private is shown only to its caller, and sends the caller’s account as `for`', async () => {
    const token = happen(2, slash('verify', [option('code', ' K7PWM3XQ9T ')]))
    assert.deepEqual((await callback(token)).body, { type: 5, data: { flags: 64 } })
    await edit(token)
    assert.ok(requested.some(path => path.endsWith(`/discord/verify/K7PWM3XQ9T?for=${caller}`)))
  })

  test('has a sentence for an unavailable service', async () => {
    isOffline = true
    const token = happen(2, slash('market'))
    assert.match(await shown(token), /The game’s API is unavailable at the moment/)
    assert.deepEqual(errors, [])
  })

  test('that no longer exists is reported as such', async () => {
    const { body } = await callback(happen(2, slash('removed')))
    assert.equal(body.type, 4)
    assert.match(JSON.stringify(body.data.embeds), /This command no longer exists/)
  })
})

describe('pages', () => {
  const press = (customId: string, account = caller) =>
    happen(
      3,
      { component_type: 2, custom_id: customId },
      {
        account,
        more: {
          message: message({
            interaction_metadata: {
              id: '1',
              type: 2,
              user: user(caller),
              authorizing_integration_owners: {},
            },
          }),
        },
      },
    )

  test('have buttons, and a button shows the page that it names', async () => {
    const body = await edit(happen(2, slash('rankings', [option('board', 'alliances')])))
    const [back, here, next] = body.components[0].components
    assert.deepEqual([back.disabled, here.disabled, next.disabled], [true, true, false])
    const token = press(next.custom_id)
    assert.equal((await callback(token)).body.type, 6)
    assert.match(JSON.stringify((await edit(token)).components), /"2 of /)
    assert.ok(requested.some(path => /rankings\?board=alliances&limit=10&page=2$/.test(path)))
  })

  test('are turned only by the user of the command', async () => {
    const { body } = await callback(press('page|2|wars|', other))
    assert.equal(body.type, 4)
    assert.equal(body.data.flags, 64)
    assert.match(JSON.stringify(body.data), /Get your own: \/wars/)
  })
})

describe('autocomplete', () => {
  const type = (name: string, typed: string) =>
    happen(4, slash(name, [{ name, type: 3, value: typed, focused: true }]))

  test('gives nations and alliances as labels that Discord accepts, with their ids', async () => {
    for (const name of ['nation', 'alliance']) {
      const { body } = await callback(type(name, 'val'))
      assert.equal(body.type, 8)
      assert.equal(body.data.choices.length, 25)
      for (const choice of body.data.choices) {
        assert.ok(choice.name.length >= 1 && choice.name.length <= 100)
        assert.match(choice.value, /^id:.{1,97}$/)
      }
    }
  })

  test('gives nothing while the service is unavailable', async () => {
    isOffline = true
    assert.deepEqual((await callback(type('nation', 'val'))).body.data.choices, [])
  })
})

describe('roles', () => {
  const setup = (name: string, options: object[], { account = ownerId, roles = [] as string[] } = {}) =>
    happen(
      2,
      slash('setup', [{ name, type: 1, options }], {
        resolved: {
          roles: Object.fromEntries(guildRoles.map(of => [of.id, of])),
        },
      }),
      { account, roles },
    )

  test('are given on verification, except for those that the bot may not give', async () => {
    assert.match(await shown(setup('role', [option('role', roleIds.low, 8)])), /from now on/)
    assert.match(await shown(setup('role', [option('role', roleIds.high, 8)])), /from now on/)
    discord.tooHigh.add(roleIds.high)
    discord.memberRoles.set(caller, new Set())
    const reply = await shown(happen(2, slash('verify', [option('code', 'K7PWM3XQ9T')])))
    assert.match(reply, new RegExp(`Roles given: <@&${roleIds.low}>`))
    assert.match(reply, new RegExp(`I may not hand out <@&${roleIds.high}>`))
    assert.deepEqual([...(discord.memberRoles.get(caller) ?? [])], [roleIds.low])
  })

  test('are removed when their rule is deleted', async () => {
    discord.memberRoles.set(caller, new Set([roleIds.low, roleIds.own]))
    assert.match(await shown(setup('remove', [option('role', roleIds.low, 8)])), /was removed/)
    assert.deepEqual([...(discord.memberRoles.get(caller) ?? [])], [roleIds.own])
  })

  test('above the caller’s own cannot be set up', async () => {
    const manager = { account: other, roles: [roleIds.own] }
    for (const id of [roleIds.own, roleIds.high])
      assert.match(await shown(setup('role', [option('role', id, 8)], manager)), /only roles below your own/)
    assert.match(await shown(setup('role', [option('role', roleIds.low, 8)], manager)), /from now on/)
    assert.match(await shown(setup('role', [option('role', guildId, 8)])), /cannot be given/)
  })

  test('are not set up in a guild without the bot, where permissions cannot be checked', async () => {
    const elsewhere = '200000000000000002'
    const options = [option('role', roleIds.high, 8)]
    const data = slash('setup', [{ name: 'role', type: 1, options }], {
      resolved: { roles: { [roleIds.high]: guildRoles.at(-1) } },
    })
    assert.match(
      await shown(happen(2, data, { more: { guild_id: elsewhere } })),
      /I am no member of this server/,
    )
    assert.deepEqual(store.rules(elsewhere), [])
  })

  test('of an account that left the guild are undefined', async () => {
    assert.equal(await connection.roles.held(guildId, other), undefined)
  })
})

test('announcements are posted in the channel that was set up, without mentions', async () => {
  const token = happen(
    2,
    slash('setup', [{ name: 'channel', type: 1, options: [option('channel', channelId, 7)] }], {
      resolved: { channels: { [channelId]: { id: channelId, name: 'war-room', type: 0, permissions: '8' } } },
    }),
    { account: ownerId },
  )
  assert.match(await shown(token), new RegExp(`announced in <#${channelId}>`))
  assert.equal(store.newsChannel(guildId), channelId)
  await connection.post(channelId, sentence(name('@everyone look')))
  const { body } = await discord.call('POST', new RegExp(`^/channels/${channelId}/messages$`))
  assert.deepEqual(body.allowed_mentions, { parse: [] })
  assert.equal(body.embeds[0].description, '@\u200beveryone look')
})

test('the data of a guild is deleted when it removes the bot, but not while it is unavailable', async () => {
  store.addRule(guildId, { role: 'r', allianceId: null, rank: null })
  discord.dispatch('GUILD_DELETE', { id: guildId, unavailable: true })
  await edit(happen(2, slash('market')))
  assert.ok(store.rules(guildId).length > 0)
  discord.dispatch('GUILD_DELETE', { id: guildId })
  await edit(happen(2, slash('market')))
  assert.deepEqual(
    [store.rules(guildId), store.linksOfGuild(guildId), store.newsChannel(guildId)],
    [[], [], undefined],
  )
})
