import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Chancery, type Nation } from '@chancery/client'
import type { Reply } from '../src/command.ts'
import { createEventHandler, followEvents } from '../src/events.ts'
import { createRoleUpdater } from '../src/roles.ts'
import { openStore } from '../src/store.ts'
import { memoryRoles, unescaped } from './support/bot.ts'
import { type Demo, startDemo } from './support/demo.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.stop())

const guild = 'g1'

/** A bot that follows the demo, in a guild with one channel and rules for all, for an alliance and for its officers. */
async function followingBot(t: TestContext, allianceId: string) {
  const client = new Chancery({ baseUrl: demo.url })
  const store = openStore(':memory:')
  const roles = memoryRoles()
  const posts: string[] = []
  const onError = (err: unknown) => assert.fail(String(err))
  const updater = createRoleUpdater({ api: client, store, roles, onError })
  const handle = createEventHandler({
    store,
    updater,
    onError,
    async post(channel, reply) {
      posts.push(`${channel}: ${textOf(reply)}`)
    },
  })
  store.setNewsChannel(guild, 'c1')
  store.addRule(guild, { role: 'citizen', allianceId: null, rank: null })
  store.addRule(guild, { role: 'pact', allianceId, rank: null })
  store.addRule(guild, { role: 'council', allianceId, rank: 'officer' })
  const { data } = await client.events.list({ limit: 1 })
  store.setPosition(data[0]?.seq ?? 0)
  const ending = new AbortController()
  const following = followEvents({ client, store, updater, handle, signal: ending.signal })
  // Also after a failure: the stream would keep the test from ending.
  t.after(async () => {
    ending.abort()
    updater.close()
    await following
  })
  return {
    store,
    posts,
    held: () => roles.held(guild, 'u1'),
    async link(nation: Nation) {
      const { alliance } = nation
      const of = { allianceId: alliance?.alliance_id ?? null, rank: alliance?.rank ?? null }
      store.link({ guild, account: 'u1', nationId: nation.id, nationName: nation.nation_name, ...of })
      updater.update([nation.id])
      await updater.idle()
    },
  }
}

const textOf = ({ embeds }: Reply) =>
  unescaped(
    embeds
      .flatMap(({ data: { title, description } }) => [title, description])
      .filter(Boolean)
      .join('\n'),
  ).replaceAll('\n', ' / ')

/** Until it holds, or for ten seconds. */
async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await holds())) {
    if (Date.now() > deadline) assert.fail(`not within ten seconds: ${what}`)
    await sleep(50)
  }
}

const officer = async (skip = 0): Promise<Nation & { alliance: NonNullable<Nation['alliance']> }> => {
  const nations = await demo.list<Nation>('/nations?limit=100')
  const found = nations.filter(of => of.alliance?.rank === 'officer')[skip]
  assert.ok(found?.alliance)
  return { ...found, alliance: found.alliance }
}
const member = (nation: Nation, data: object) => ({
  op: 'put',
  resource: 'alliance_member',
  data: { nation_id: nation.id, ...data },
})
const gone = (nation: Nation) => ({ op: 'delete', resource: 'alliance_member', id: nation.id })
const isHeld = (held: string[] | undefined, ...wanted: string[]) =>
  JSON.stringify([...(held ?? [])].sort()) === JSON.stringify(wanted.sort())

test('roles follow a lost rank, and an alliance that is left and joined again', async t => {
  const nation = await officer()
  const { alliance_id } = nation.alliance
  const bot = await followingBot(t, alliance_id)
  await bot.link(nation)
  assert.deepEqual(await bot.held(), ['citizen', 'pact', 'council'])
  await demo.ingest([member(nation, { alliance_id, rank: 'member' })])
  await until('the rank is lost', async () => isHeld(await bot.held(), 'citizen', 'pact'))
  await demo.ingest([gone(nation)])
  await until('the alliance is left', async () => isHeld(await bot.held(), 'citizen'))
  assert.deepEqual(bot.store.links()[0]?.allianceId, null)
  await demo.ingest([member(nation, { alliance_id, rank: 'officer' })])
  await until('it has joined again', async () => isHeld(await bot.held(), 'citizen', 'pact', 'council'))
})

test('the roles of a disbanded alliance are removed', async t => {
  const nation = await officer(1)
  const { alliance_id } = nation.alliance
  const bot = await followingBot(t, alliance_id)
  await bot.link(nation)
  assert.ok((await bot.held())?.includes('pact'))
  await demo.ingest([{ op: 'delete', resource: 'alliance', id: alliance_id }])
  await until('the alliance is no more', async () => isHeld(await bot.held(), 'citizen'))
})

test('the roles and the link of a deleted nation are removed', async t => {
  const nation = await officer(2)
  const bot = await followingBot(t, nation.alliance.alliance_id)
  await bot.link(nation)
  await demo.ingest([{ op: 'delete', resource: 'nation', id: nation.id }])
  await until('the nation is no more', async () => isHeld(await bot.held()))
  assert.deepEqual(bot.store.links(), [])
})

test('a nation that a list omits keeps its roles unless it is not found by its id', async () => {
  const nation = await officer(3)
  const { alliance_id, rank } = nation.alliance
  const client = new Chancery({ baseUrl: demo.url })
  const top = await client.nations.list({ limit: 1 })
  const store = openStore(':memory:')
  const roles = memoryRoles()
  const link = { guild, account: 'u1', nationName: nation.nation_name, allianceId: alliance_id, rank }
  store.link({ ...link, nationId: nation.id })
  store.addRule(guild, { role: 'citizen', allianceId: null, rank: null })
  // A filter that does not arrive: every request returns the top of the list.
  const api = { nations: { ...client.nations, list: async () => top } }
  const updater = createRoleUpdater({ api, store, roles, onError: assert.fail })
  updater.updateAll()
  await updater.idle()
  assert.deepEqual(await roles.held(guild, 'u1'), ['citizen'])
  assert.equal(store.links().length, 1)
  updater.close()
})

test('wars and strategic launches are announced in a channel, and nothing else', async t => {
  const [one, other] = await demo.list<Nation>('/nations?limit=2')
  assert.ok(one && other)
  const bot = await followingBot(t, 'a1')
  const war = {
    id: 'bot-war',
    attacker: { nation_id: one.id },
    defender: { nation_id: other.id },
    reason: '@everyone **look**',
    declared_at: new Date().toISOString().replace(/\.\d+/, ''),
  }
  await demo.ingest([{ op: 'put', resource: 'war', data: war }])
  await demo.ingest([{ op: 'put', resource: 'nation', data: { id: one.id, nation_name: 'Elsewhere' } }])
  await demo.ingest([
    {
      op: 'event',
      data: {
        type: 'strategic_weapon.launched',
        occurred_at: war.declared_at,
        data: {
          weapon: 'nuclear_missile',
          attacker_nation_id: one.id,
          defender_nation_id: other.id,
          war_id: war.id,
          battle_id: null,
        },
      },
    },
  ])
  await until('both are posted', () => bot.posts.length >= 2)
  assert.match(
    bot.posts[0] ?? '',
    /^c1: War declared \/ .+ declared war on .+\. \/ “@everyone \*\*look\*\*”$/,
  )
  assert.match(bot.posts[1] ?? '', /^c1: Strategic launch \/ Elsewhere launched a nuclear missile at /)
  assert.equal(bot.posts.length, 2)
})

test('a redacted name is replaced', async t => {
  const nation = await officer(3)
  const bot = await followingBot(t, nation.alliance.alliance_id)
  await bot.link(nation)
  const known = () => bot.store.links()[0]?.nationName
  assert.equal(known(), nation.nation_name)
  await demo.ingest([
    { op: 'redact', resource: 'nation', id: nation.id, data: { nation_name: 'Renamed by the game' } },
  ])
  await until('the new name is known', () => known() === 'Renamed by the game')
})

test('events that happened while the bot was down are announced once when it is back', async () => {
  const nations = await demo.list<Nation>('/nations?limit=4')
  const [, , one, other] = nations
  assert.ok(one && other)
  const client = new Chancery({ baseUrl: demo.url })
  const store = openStore(':memory:')
  const { data } = await client.events.list({ limit: 1 })
  store.setPosition(data[0]?.seq ?? 0)
  store.setNewsChannel(guild, 'c1')
  const declared_at = new Date().toISOString().replace(/\.\d+/, '')
  const sides = { attacker: { nation_id: one.id }, defender: { nation_id: other.id } }
  await demo.ingest([{ op: 'put', resource: 'war', data: { id: 'bot-war-2', ...sides, declared_at } }])

  const posts: Reply[] = []
  for (const start of [1, 2]) {
    const updater = createRoleUpdater({ api: client, store, roles: memoryRoles(), onError: assert.fail })
    const ending = new AbortController()
    const post = async (_channel: string, reply: Reply) => void posts.push(reply)
    const handle = createEventHandler({ store, updater, post, onError: assert.fail })
    const following = followEvents({ client, store, updater, handle, signal: ending.signal })
    if (start === 1) await until('it is posted', () => posts.length > 0)
    else await sleep(500)
    ending.abort()
    await following
  }
  assert.equal(posts.length, 1)
})

test('an expired position is dropped, and all links are updated', async () => {
  const nation = await officer(4)
  const client = new Chancery({ baseUrl: demo.url })
  const store = openStore(':memory:')
  store.setPosition(999_999_999)
  let updates = 0
  const ending = new AbortController()
  const updater = {
    updateAll() {
      updates += 1
      ending.abort()
    },
  }
  await followEvents({ client, store, updater, handle: async () => {}, signal: ending.signal })
  assert.equal(updates, 1)
  assert.equal(store.position(), undefined)
  assert.ok(nation)
})

test('a redacted name is deleted at once, also while the game is unavailable', async () => {
  const store = openStore(':memory:')
  const updater = { update: () => {}, updateAll: () => {}, idle: async () => {}, close: () => {} }
  const handle = createEventHandler({ store, updater, post: async () => {}, onError: assert.fail })
  const link = { guild, account: 'u1', nationId: 'n1', allianceId: null, rank: null }
  store.link({ ...link, nationName: 'Something foul' })
  await handle({
    id: 'evt_1',
    seq: 1,
    type: 'record.redacted',
    occurred_at: '2026-05-27T18:04:11Z',
    summary: '',
    nation_ids: ['n1'],
    alliance_ids: [],
    war_id: null,
    conflict_id: null,
    data: { resource: 'nation', id: 'n1', fields: ['nation_name'] },
  })
  assert.equal(store.links()[0]?.nationName, null)
})

test('a disbanded alliance updates the links of its members without further events', async () => {
  const store = openStore(':memory:')
  const updated: string[] = []
  const updater = {
    update: (ids: Iterable<string>) => updated.push(...ids),
    updateAll: () => {},
    idle: async () => {},
    close: () => {},
  }
  const handle = createEventHandler({ store, updater, post: async () => {}, onError: assert.fail })
  const link = { guild, nationName: null, rank: null }
  store.link({ ...link, account: 'u1', nationId: 'n1', allianceId: 'a7' })
  store.link({ ...link, account: 'u2', nationId: 'n2', allianceId: 'a8' })
  await handle({
    id: 'evt_1',
    seq: 1,
    type: 'alliance.disbanded',
    occurred_at: '2026-05-27T18:04:11Z',
    summary: '',
    nation_ids: [],
    alliance_ids: ['a7'],
    war_id: null,
    conflict_id: null,
    data: { alliance: { alliance_id: 'a7', name: 'Northern Pact', tag: 'NP' } },
  })
  assert.deepEqual(updated, ['n1'])
})
