import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChanceryEvent, Nation } from '@chancery/client'
import { followEvents, handleEvent } from '../src/events.ts'
import { createRoleUpdater } from '../src/roles.ts'
import type { Link } from '../src/store.ts'
import { startTestBot } from './support/bot.ts'
import { type Demo, startDemo } from './support/demo.ts'
import { channelId, guildId as guild, roleIds } from './support/discord.ts'
import { textOf } from './support/users.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.stop())

const account = '700000000000000001'
const { low: citizen, own: pact, high: council } = roleIds

/** A bot in a guild with one channel and rules for all, for an alliance and for its officers. */
async function startedBot(t: TestContext, allianceId = 'a7') {
  const bot = await startTestBot({ baseUrl: demo.url })
  const ending = new AbortController()
  const { signal } = ending
  const updater = createRoleUpdater(bot.bot, signal)
  const { client, store, discord } = bot
  const roles = new Set<string>()
  discord.memberRoles.set(account, roles)
  store.setNewsChannel(guild, channelId)
  store.addRule(guild, { role: citizen, allianceId: null, rank: null })
  store.addRule(guild, { role: pact, allianceId, rank: null })
  store.addRule(guild, { role: council, allianceId, rank: 'officer' })
  const { data } = await client.events.list({ limit: 1 })
  store.setPosition(data[0]?.seq ?? 0)
  let following = Promise.resolve()
  // Also after a failure: the stream would keep the test from ending.
  t.after(async () => {
    ending.abort()
    await following
    await bot.close()
    assert.deepEqual(bot.errors, [])
  })
  const holds = (...wanted: string[]) => JSON.stringify([...roles].sort()) === JSON.stringify(wanted.sort())
  return {
    ...bot,
    updater,
    follow(until = signal) {
      following = followEvents(bot.bot, updater, until)
      return following
    },
    posts: () =>
      discord.requests
        .filter(({ method, path }) => method === 'POST' && path === `/channels/${channelId}/messages`)
        .map(({ body }) => textOf(body).replaceAll('\n', ' / ')),
    /** Until the member has exactly these roles. */
    untilHeld: (...wanted: string[]) => until(`has ${wanted}`, () => holds(...wanted)),
    link: (nation: Nation, more: Partial<Link> = {}) =>
      store.link({
        guild,
        account,
        nationId: nation.id,
        nationName: nation.nation_name,
        allianceId: nation.alliance?.alliance_id ?? null,
        rank: nation.alliance?.rank ?? null,
        ...more,
      }),
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!holds()) {
    if (Date.now() > deadline) assert.fail(`not within ten seconds: ${what}`)
    await sleep(50)
  }
}

const officer = async (skip: number): Promise<Nation & { alliance: NonNullable<Nation['alliance']> }> => {
  const nations = await demo.list<Nation>('/nations?limit=100')
  const found = nations.filter(of => of.alliance?.rank === 'officer')[skip]
  assert.ok(found?.alliance)
  return { ...found, alliance: found.alliance }
}
/** A linked officer of the alliance with the rules, whose bot follows the demo. */
async function followedOfficer(t: TestContext, skip: number) {
  const nation = await officer(skip)
  const bot = await startedBot(t, nation.alliance.alliance_id)
  bot.link(nation)
  bot.updater.updateAll()
  await bot.untilHeld(citizen, pact, council)
  bot.follow()
  return { ...bot, nation, alliance_id: nation.alliance.alliance_id }
}
const put = (resource: string, data: object) => ({ op: 'put', resource, data })
const gone = (resource: string, id: string) => ({ op: 'delete', resource, id })
const seconds = () => new Date().toISOString().replace(/\.\d+/, '')
const event = (more: object) =>
  ({
    id: 'evt_1',
    seq: 1,
    occurred_at: '2026-05-27T18:04:11Z',
    summary: '',
    nation_ids: [],
    alliance_ids: [],
    war_id: null,
    conflict_id: null,
    ...more,
  }) as unknown as ChanceryEvent

test('roles follow a lost rank, and an alliance that is left and joined again', async t => {
  const { nation, alliance_id, store, untilHeld } = await followedOfficer(t, 0)
  const member = (rank: string) => put('alliance_member', { nation_id: nation.id, alliance_id, rank })
  await demo.ingest(member('member'))
  await untilHeld(citizen, pact)
  await demo.ingest(gone('alliance_member', nation.id))
  await untilHeld(citizen)
  await until('the link has no alliance', () => store.links()[0]?.allianceId === null)
  await demo.ingest(member('officer'))
  await untilHeld(citizen, pact, council)
})

test('the roles of a disbanded alliance are removed', async t => {
  const { alliance_id, untilHeld } = await followedOfficer(t, 1)
  await demo.ingest(gone('alliance', alliance_id))
  await untilHeld(citizen)
})

test('the roles and the link of a deleted nation are removed', async t => {
  const { nation, store, untilHeld } = await followedOfficer(t, 2)
  await demo.ingest(gone('nation', nation.id))
  await untilHeld()
  await until('the link is deleted', () => store.links().length === 0)
})

test('a nation that a list omits keeps its roles unless it is not found by its id', async t => {
  const nation = await officer(3)
  const bot = await startedBot(t)
  const top = await bot.client.nations.list({ limit: 1 })
  bot.link(nation)
  // A filter that does not arrive: every request returns the top of the list.
  const api = { ...bot.client, nations: { ...bot.client.nations, list: async () => top } }
  createRoleUpdater({ ...bot.bot, api }, AbortSignal.timeout(10_000)).updateAll()
  await bot.untilHeld(citizen)
  assert.equal(bot.store.links().length, 1)
})

test('wars and strategic launches are announced in a channel, and nothing else', async t => {
  const [one, other] = await demo.list<Nation>('/nations?limit=2')
  assert.ok(one && other)
  const { posts, follow } = await startedBot(t)
  follow()
  const declared_at = seconds()
  const sides = { attacker: { nation_id: one.id }, defender: { nation_id: other.id } }
  await demo.ingest(put('war', { id: 'bot-war', ...sides, reason: '@everyone **look**', declared_at }))
  await demo.ingest(put('nation', { id: one.id, nation_name: 'Elsewhere' }))
  const launch = {
    weapon: 'nuclear_missile',
    attacker_nation_id: one.id,
    defender_nation_id: other.id,
    war_id: 'bot-war',
    battle_id: null,
  }
  await demo.ingest({
    op: 'event',
    data: { type: 'strategic_weapon.launched', occurred_at: declared_at, data: launch },
  })
  await until('both are posted', () => posts().length >= 2)
  const [declaration = '', launched = '', ...others] = posts()
  assert.match(declaration, /^War declared \/ .+ declared war on .+\. \/ “@everyone \*\*look\*\*”/)
  assert.match(launched, /^Strategic launch \/ Elsewhere launched a nuclear missile at /)
  assert.deepEqual(others, [])
})

test('a redacted name is replaced', async t => {
  const { nation, store } = await followedOfficer(t, 3)
  const data = { nation_name: 'Renamed by the game' }
  await demo.ingest({ op: 'redact', resource: 'nation', id: nation.id, data })
  await until('the new name is stored', () => store.links()[0]?.nationName === 'Renamed by the game')
})

test('events that happened while the bot was down are announced once when it is back', async t => {
  const [, , one, other] = await demo.list<Nation>('/nations?limit=4')
  assert.ok(one && other)
  const { posts, follow } = await startedBot(t)
  const sides = { attacker: { nation_id: one.id }, defender: { nation_id: other.id } }
  await demo.ingest(put('war', { id: 'bot-war-2', ...sides, declared_at: seconds() }))
  for (const start of [1, 2]) {
    const ending = new AbortController()
    const following = follow(ending.signal)
    if (start === 1) await until('it is posted', () => posts().length > 0)
    await sleep(500)
    ending.abort()
    await following
  }
  assert.equal(posts().length, 1)
})

test('an expired position is dropped, and all links are updated', async t => {
  const { bot, store } = await startedBot(t)
  store.setPosition(999_999_999)
  let updates = 0
  const ending = new AbortController()
  const updater = {
    update() {},
    updateAll() {
      updates += 1
      ending.abort()
    },
  }
  await followEvents(bot, updater, ending.signal)
  assert.equal(updates, 1)
  assert.equal(store.position(), undefined)
})

test('a redacted name is deleted at once, also while the game is unavailable', async t => {
  const { bot, store, link } = await startedBot(t)
  link(await officer(4), { nationId: 'n1', nationName: 'Something foul' })
  const data = { resource: 'nation', id: 'n1', fields: ['nation_name'] }
  const updater = { update() {}, updateAll() {} }
  await handleEvent(event({ type: 'record.redacted', data }), bot, updater)
  assert.equal(store.links()[0]?.nationName, null)
})

test('a disbanded alliance updates the links of its members without further events', async t => {
  const { bot, link } = await startedBot(t)
  const nation = await officer(4)
  link(nation, { nationId: 'n1', allianceId: 'a7' })
  link(nation, { account: '2', nationId: 'n2', allianceId: 'a8' })
  const updated: string[] = []
  const updater = { update: (ids: Iterable<string>) => void updated.push(...ids), updateAll() {} }
  await handleEvent(event({ type: 'alliance.disbanded', alliance_ids: ['a7'], data: {} }), bot, updater)
  assert.deepEqual(updated, ['n1'])
})
