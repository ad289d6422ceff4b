import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Link, openStore } from '../src/store.ts'

const link = (account: string, nationId: string, more: Partial<Link> = {}): Link => ({
  guild: 'g1',
  account,
  nationId,
  nationName: nationId.toUpperCase(),
  allianceId: 'a7',
  rank: 'member',
  ...more,
})

test('data survives a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chancery-bot-store-'))
  const path = join(directory, 'bot.sqlite')
  const before = openStore(path)
  before.addRule('g1', { role: 'r1', allianceId: null, rank: null })
  before.link(link('u1', 'n1'))
  before.setNewsChannel('g1', 'c1')
  before.setPosition(41)
  before.setPosition(42)
  before.close()
  const after = openStore(path)
  assert.deepEqual({ ...after.rules('g1')[0] }, { role: 'r1', allianceId: null, rank: null })
  assert.deepEqual({ ...after.links()[0] }, link('u1', 'n1'))
  assert.equal(after.newsChannel('g1'), 'c1')
  assert.equal(after.position(), 42)
  after.close()
  await rm(directory, { recursive: true })
})

test('an account has one nation in a guild, and a nation one account', () => {
  const store = openStore(':memory:')
  assert.deepEqual(store.link(link('u1', 'n1')), [])
  const texts = (links: Link[]) => links.map(of => `${of.guild} ${of.account} ${of.nationId}`)
  assert.deepEqual(texts(store.link(link('u2', 'n1'))), ['g1 u1 n1'])
  assert.deepEqual(texts(store.link(link('u2', 'n2'))), ['g1 u2 n1'])
  assert.deepEqual(store.link(link('u1', 'n2', { guild: 'g2' })), [])
  assert.deepEqual(texts(store.links()), ['g1 u2 n2', 'g2 u1 n2'])
})

test('a rule is stored once', () => {
  const store = openStore(':memory:')
  for (const rank of [null, null, 'officer']) store.addRule('g1', { role: 'r1', allianceId: null, rank })
  assert.equal(store.rules('g1').length, 2)
  assert.equal(store.deleteRules('g1', 'r1'), 2)
})

test('an update does not restore a deleted link', () => {
  const store = openStore(':memory:')
  store.link(link('u1', 'n1'))
  store.link(link('u1', 'n2'))
  store.update(link('u1', 'n1', { rank: 'leader' }))
  const [left, ...others] = store.links()
  assert.deepEqual([left?.nationId, left?.rank, others], ['n2', 'member', []])
})

test('the data of one guild is deleted, and that of others is not', () => {
  const store = openStore(':memory:')
  for (const guild of ['g1', 'g2']) {
    store.addRule(guild, { role: 'r1', allianceId: null, rank: null })
    store.link(link('u1', 'n1', { guild }))
    store.setNewsChannel(guild, 'c1')
  }
  store.deleteGuild('g1')
  const left = (guild: string) => [
    store.rules(guild).length,
    store.linksOfGuild(guild).length,
    store.newsChannel(guild),
  ]
  assert.deepEqual(
    [left('g1'), left('g2')],
    [
      [0, 0, undefined],
      [1, 1, 'c1'],
    ],
  )
})
