import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Profile, parseProfile } from '@chancery/contract'
import { StartupError } from '../../src/index.ts'
import { adoptProfile } from '../../src/profile/adopt-profile.ts'
import { closeAfter } from '../support/close-after.ts'
import { attribute, changed, createGameHost, type GameHost, ingest, put, smallGame } from './games.ts'

/** Uses every key of the small game except the second of each list, and every attribute. */
const facts = [
  put('alliance', {
    id: 'a1',
    name: 'Senate',
    treasury: { credits: 1, resources: { iron: 4 } },
    attributes: { forum: 'old', plot: 'against Karthago', watched: true },
  }),
  ...['n1', 'n2'].map(id =>
    put('nation', {
      id,
      nation_name: id,
      player: `p_${id}`,
      government: 'res_publica',
      game_status: 'exul',
      continent: 'italia',
      military: {
        units: { legionary: 5, galley: 0 },
        reserves: { speculator: 1 },
        strategic: { greek_fire: 1 },
      },
      economy: { resources: { iron: 2 } },
      attributes: { patron: 'Mars', auspices: 'good', corruption: 3 },
    }),
  ),
  put('alliance_member', { nation_id: 'n1', alliance_id: 'a1', rank: 'citizen' }),
  put('alliance', { id: 'a2', name: 'Plebs' }),
  put('treaty', { id: 't1', alliance_ids: ['a1', 'a2'], type: 'foedus' }),
  put('war', {
    id: 'w1',
    type: 'bellum',
    game_outcome: 'indutiae',
    attacker: { nation_id: 'n1' },
    defender: { nation_id: 'n2' },
    declared_at: '2026-05-01T00:00:00Z',
  }),
  put('battle', {
    id: 'b1',
    war_id: 'w1',
    kind: 'field',
    fought_at: '2026-05-02T00:00:00Z',
    attacker_nation_id: 'n1',
    defender_nation_id: 'n2',
    losses: { attacker: { cavalry: 3 }, defender: { legionary: 1 } },
  }),
  put('market_price', { resource: 'iron', price: 3.25, as_of: '2026-05-02T00:00:00Z' }),
  put('news_item', { id: 'i1', title: 'News', category: 'acta', published_at: '2026-05-02T00:00:00Z' }),
  {
    op: 'event',
    data: {
      type: 'game.omen',
      occurred_at: '2026-05-02T00:00:00Z',
      data: { bird: 'crow' },
      nation_ids: ['n1'],
    },
  },
]

const used = closeAfter(await createGameHost())
const empty = closeAfter(await createGameHost())
const first = await used.start(smallGame)
await ingest(first, facts)
await first.close()
await (await empty.start(smallGame)).close()

/** The lines of the error of a start after the first; none if it succeeds. */
async function linesOf(start: Promise<unknown>): Promise<string[]> {
  const error = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return []
  assert.ok(error instanceof StartupError, String(error))
  const [first, ...lines] = error.message.split('\n')
  assert.match(String(first), /^CHANCERY_GAME_FILE: .*:$/)
  return lines
}

const startErrors = (host: GameHost, profile: Profile) =>
  linesOf(host.start(profile).then(server => server.close()))

/** The errors of the one step of a start that compares the profile: much faster. */
const adoptionErrors = (host: GameHost, profile: Profile) =>
  linesOf(adoptProfile({ connectionString: host.databaseUrl }, parseProfile(JSON.stringify(profile))))

type List = Exclude<
  { [K in keyof Profile]: Profile[K] extends { key: string }[] | undefined ? K : never }[keyof Profile],
  undefined
>
type Change = (profile: Profile) => void

const listOf = (profile: Profile, list: List | 'nation' | 'alliance'): { key: string }[] =>
  (list === 'nation' || list === 'alliance' ? profile.attributes[list] : profile[list]) ?? []
const edited =
  (list: Parameters<typeof listOf>[1], key: string, change: object): Change =>
  profile => {
    Object.assign(listOf(profile, list).find(entry => entry.key === key) ?? {}, change)
  }
const removed =
  (list: Parameters<typeof listOf>[1], key: string): Change =>
  profile => {
    const entries = listOf(profile, list)
    const index = entries.findIndex(entry => entry.key === key)
    entries.splice(index, 1)
  }

/** Each change with its error, which occurs only while stored rows use the key. */
const cases: Record<string, [change: Change, line: RegExp]> = {
  'an admin_only attribute becomes readable for its owner': [
    edited('nation', 'corruption', { class: 'player_private', scope: 'nation.read' }),
    /^attributes\.nation\.corruption: 2 nations use it, and class would go from admin_only to player_private: .* would become readable\. Leave it .* another key, or .* null/,
  ],
  'an attribute of its owner becomes public': [
    edited('nation', 'auspices', { class: 'public', scope: undefined }),
    /^attributes\.nation\.auspices: .* from player_private to public/,
  ],
  'a private attribute takes the other private class': [
    edited('nation', 'auspices', { class: 'alliance_private' }),
    /^attributes\.nation\.auspices: .* from player_private to alliance_private: .* would become readable with other keys/,
  ],
  'a private attribute takes another scope': [
    edited('nation', 'auspices', { scope: 'military.read' }),
    /^attributes\.nation\.auspices: .* scope would go from economy\.read to military\.read/,
  ],
  'an admin_only attribute of alliances becomes public': [
    edited('alliance', 'watched', { class: 'public' }),
    /^attributes\.alliance\.watched: 1 alliance uses it/,
  ],
  'an attribute takes another type': [
    edited('nation', 'corruption', { type: 'string' }),
    /^attributes\.nation\.corruption: .* type would go from integer to string: .* have the wrong type/,
  ],
  'an attribute is removed': [
    removed('nation', 'patron'),
    /^attributes\.nation\.patron: 2 nations use it, and it is no longer in the profile\. Keep the key patron/,
  ],
  'a unit becomes public in losses': [
    edited('units', 'speculator', { shows_in_losses: true }),
    /^units\.speculator: 2 nations use the word, and shows_in_losses would go from no to yes/,
  ],
  'a strategic unit becomes an ordinary one': [
    edited('units', 'greek_fire', { is_strategic: false }),
    /^units\.greek_fire: 2 nations .* is_strategic would go from yes to no/,
  ],
  'a unit becomes strategic': [
    edited('units', 'cavalry', { is_strategic: true, shows_in_losses: false }),
    /^units\.cavalry: 1 battle, 1 event of the log use the word, and is_strategic/,
  ],
  'a unit that only battles use is removed': [
    removed('units', 'cavalry'),
    /^units\.cavalry: 1 battle, 1 event of the log use the word, and it is no longer/,
  ],
  'a unit is renamed': [
    edited('units', 'legionary', { key: 'miles' }),
    /^units\.legionary: 2 nations, 1 battle, .* \(is it "miles" now\?\)\. Keep the key legionary and change its label/,
  ],
  'a resource is removed': [
    removed('resources', 'iron'),
    /^resources\.iron: 2 nations, 1 alliance, 1 market price use/,
  ],
  'a rank is removed': [removed('ranks', 'citizen'), /^ranks\.citizen: 1 member uses the word/],
  'a rank may see the treasury now': [
    edited('ranks', 'citizen', { tier: 'officer' }),
    /^ranks\.citizen: 1 member uses the word, and tier would go from member to officer/,
  ],
  'a status of the game’s own is removed': [
    removed('nation_statuses', 'exul'),
    /^nation_statuses\.exul: 2 nations use the word, .* Keep the key exul, or send another game_status or null/,
  ],
  'a status of the game’s own is mapped to another': [
    edited('nation_statuses', 'exul', { is: 'vacation' }),
    /^nation_statuses\.exul: 2 nations use the word, and is would go from inactive to vacation: they have the previous one\. Leave it as it was/,
  ],
  'an outcome of the game’s own is removed': [
    removed('war_outcomes', 'indutiae'),
    /^war_outcomes\.indutiae: 1 war uses the word/,
  ],
  'an outcome of the game’s own is mapped to another': [
    edited('war_outcomes', 'indutiae', { is: 'stalemate' }),
    /^war_outcomes\.indutiae: 1 war uses the word, and is would go from peace to stalemate/,
  ],
  'the currency has another key': [
    profile => Object.assign(profile, { currency: { key: 'denarius', label: 'Gold' } }),
    /^currency\.gold: 1 market price uses the word, .* \(is it "denarius" now\?\)\. Keep the key gold and change/,
  ],
  'prices have fewer decimals': [
    profile => Object.assign(profile.currency, { price_decimals: 1 }),
    /^currency\.gold: 1 market price uses more decimals, and price_decimals would go from 4 to 1: stored amounts would not fit\. Leave it as it was, or delete/,
  ],
  'a kind of event is removed': [
    profile => Object.assign(profile, { event_kinds: [] }),
    /^event_kinds\.game\.omen: 1 event of the log uses the word/,
  ],
  'a member of a kind of event takes another type': [
    profile => Object.assign(profile.event_kinds[0]?.data.bird ?? {}, { type: 'integer' }),
    /^event_kinds\.game\.omen: .* data\.bird would go from string to integer/,
  ],
  ...Object.fromEntries(
    (
      [
        ['governments', 'res_publica', '2 nations use'],
        ['continents', 'italia', '2 nations use'],
        ['war_types', 'bellum', '1 war uses'],
        ['battle_kinds', 'field', '1 battle uses'],
        ['treaty_types', 'foedus', '1 treaty uses'],
        ['news_categories', 'acta', '1 item of news uses'],
      ] as const
    ).map(([list, key, use]) => [
      `a key of ${list} is removed`,
      [
        (profile: Profile) => {
          removed(list, key)(profile)
          profile[list].push({ key: 'another', label: 'Another' })
        },
        new RegExp(`^${list}\\.${key}: ${use} the word`),
      ],
    ]),
  ),
}

for (const [what, [change, line]] of Object.entries(cases)) {
  test(`it is rejected that ${what}, while stored rows use it, and nothing changes`, async () => {
    const lines = await adoptionErrors(used, changed(change))
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(String(lines[0]), line)
    assert.deepEqual(await adoptionErrors(used, smallGame), [], 'the unchanged profile is accepted')
  })

  test(`it is accepted that ${what}, where no stored row uses it`, async () => {
    assert.deepEqual(await adoptionErrors(empty, changed(change)), [])
    // In an empty world every change can be reverted.
    assert.deepEqual(await adoptionErrors(empty, smallGame), [])
  })
}

test('all rejections are reported at once, a line each', async () => {
  const lines = await startErrors(
    used,
    changed(profile => {
      for (const name of ['a rank is removed', 'an attribute is removed', 'a unit is renamed'])
        cases[name]?.[0](profile)
      removed('nation', 'corruption')(profile)
    }),
  )
  assert.deepEqual(
    lines.map(line => line.split(':')[0]),
    ['units.legionary', 'ranks.citizen', 'attributes.nation.patron', 'attributes.nation.corruption'],
  )
})

test('additions, labels, addresses and unused keys are accepted', async () => {
  const accepted = changed(profile => {
    profile.name = 'Imperium'
    profile.url = null
    profile.pages.war = 'https://imperium.example/war/{id}'
    profile.currency.label = 'Aureus'
    Object.assign(profile.currency, { decimals: 2, price_decimals: 8 })
    for (const unit of profile.units) unit.label = `${unit.label}!`
    removed('units', 'galley')(profile)
    removed('resources', 'marble')(profile)
    profile.ranks.push({ key: 'slave', label: 'Slave', tier: 'member' })
    profile.war_types.push({ key: 'civil', label: 'Civil war' })
    profile.governments = []
    profile.attributes.nation.push(attribute('temple'))
  })
  assert.deepEqual(await startErrors(used, accepted), [])
  const closing = changed(profile => {
    profile.governments = [{ key: 'regnum', label: 'Regnum' }]
  }, accepted)
  const lines = await startErrors(used, closing)
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(String(lines[0]), /^governments: 2 nations use words that are not in the list/)
  assert.deepEqual(await startErrors(used, smallGame), [])
})

test('keys that the game has cleared can be changed', async () => {
  const server = await used.start(smallGame)
  const clearedData = { attributes: { corruption: null }, military: { strategic: { greek_fire: 0 } } }
  await ingest(
    server,
    ['n1', 'n2'].map(id => put('nation', { id, ...clearedData })),
  )
  await server.close()
  const cleared = changed(profile => {
    edited('nation', 'corruption', { class: 'public' })(profile)
    removed('units', 'greek_fire')(profile)
  })
  assert.deepEqual(await startErrors(used, cleared), [])
})

test('decimals are taken from prices and money only while no stored amount has more', async () => {
  const host = closeAfter(await createGameHost())
  const withDecimals = (decimals: number, price_decimals: number) =>
    changed(profile => Object.assign(profile.currency, { decimals, price_decimals }))
  const server = await host.start(withDecimals(2, 8))
  const price = (value: number, hour: number) =>
    put('market_price', { resource: 'iron', price: value, as_of: `2026-05-02T0${hour}:00:00Z` })
  await ingest(server, [
    put('nation', { id: 'n1', nation_name: 'n1', economy: { credits: 0.25 } }),
    put('alliance', { id: 'a1', name: 'a1', treasury: { credits: 0.5 } }),
    price(0.00000001, 1),
    put('market_price', { resource: 'iron', traded_value_24h: 0.01 }),
  ])
  const linesTo = (decimals: number, price_decimals: number) =>
    adoptionErrors(host, withDecimals(decimals, price_decimals))
  assert.deepEqual(
    (await linesTo(1, 7)).map(line => line.split(', and')[0]),
    [
      'currency.gold: 1 nation, 1 market price use more decimals',
      'currency.gold: 1 market price uses more decimals',
    ],
  )
  // The event keeps both prices.
  await ingest(server, [price(0.0000001, 2)])
  await ingest(server, [{ op: 'delete', resource: 'market_price', id: 'iron' }, price(3, 3)])
  assert.deepEqual(
    (await linesTo(2, 7)).map(line => line.split(', and')[0]),
    ['currency.gold: 1 event of the log uses more decimals'],
  )
  await ingest(server, [put('nation', { id: 'n1', economy: { credits: 1 } })])
  assert.deepEqual(
    (await linesTo(0, 8)).map(line => line.split(', and')[0]),
    ['currency.gold: 1 alliance uses more decimals'],
  )
  await ingest(server, [put('alliance', { id: 'a1', treasury: { credits: null } })])
  assert.deepEqual(await linesTo(0, 8), [])
})
