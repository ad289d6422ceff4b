import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Attribute, type Profile, parseProfile } from '@chancery/contract'
import { StartupError } from '../../src/index.ts'
import { adoptProfile } from '../../src/profile/adopt-profile.ts'
import { changed, createGameHost, type GameHost, ingest, operate, put, smallGame } from './games.ts'

let used: GameHost
let empty: GameHost

/** Every word of the small game but the second of each list is in use, and every attribute has a value. */
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
  put('market_price', { resource: 'iron', price: 3, as_of: '2026-05-02T00:00:00Z' }),
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

before(async () => {
  used = await createGameHost()
  empty = await createGameHost()
  const server = await used.start(smallGame)
  await ingest(server, facts)
  await server.close()
  await (await empty.start(smallGame)).close()
})
after(async () => {
  await used.close()
  await empty.close()
})

/** The lines of a refusal, without the first. */
async function linesOf(taken: Promise<unknown>): Promise<string[]> {
  const refusal = await taken.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (refusal === undefined) return []
  assert.ok(refusal instanceof StartupError, String(refusal))
  const [first, ...lines] = refusal.message.split('\n')
  assert.match(String(first), /^CHANCERY_GAME_FILE: .*:$/)
  return lines
}

/** What a server says that starts with a profile. */
const refusalsOf = (host: GameHost, profile: Profile) =>
  linesOf(host.start(profile).then(server => server.close()))

/** The same of the step of its start that compares, for a hundred of them. */
const refusedAdoption = (host: GameHost, profile: Profile) =>
  linesOf(adoptProfile({ connectionString: host.databaseUrl }, parseProfile(JSON.stringify(profile))))

const nation = (profile: Profile, key: string, change: Partial<Attribute>) =>
  Object.assign(profile.attributes.nation.find(entry => entry.key === key) ?? {}, change)
const without = <W extends { key: string }>(list: W[], key: string) => list.filter(entry => entry.key !== key)

/** Each change, what is said of it, and that it is refused where things use the word and taken where none does. */
const cases: Record<string, [change: (profile: Profile) => void, line: RegExp]> = {
  'an attribute that nobody may read is opened to its owner': [
    profile => nation(profile, 'corruption', { class: 'player_private', scope: 'nation.read' }),
    /^attributes\.nation\.corruption: 2 nations use it, and class would go from admin_only to player_private: .* would become readable\. Leave it .* another key, or .* null/,
  ],
  'an attribute of its owner is opened to everybody': [
    profile => {
      const found = profile.attributes.nation.find(({ key }) => key === 'auspices')
      delete found?.scope
      nation(profile, 'auspices', { class: 'public' })
    },
    /^attributes\.nation\.auspices: .* from player_private to public/,
  ],
  'a private attribute takes the other private class': [
    profile => nation(profile, 'auspices', { class: 'alliance_private' }),
    /^attributes\.nation\.auspices: .* from player_private to alliance_private: .* would open to other keys/,
  ],
  'a private attribute takes another scope': [
    profile => nation(profile, 'auspices', { scope: 'military.read' }),
    /^attributes\.nation\.auspices: .* scope would go from economy\.read to military\.read/,
  ],
  'an attribute of alliances that nobody may read is opened': [
    profile => {
      profile.attributes.alliance = profile.attributes.alliance.map(entry =>
        entry.key === 'watched' ? { ...entry, class: 'public' } : entry,
      )
    },
    /^attributes\.alliance\.watched: 1 alliance uses it/,
  ],
  'an attribute takes another type': [
    profile => nation(profile, 'corruption', { type: 'string' }),
    /^attributes\.nation\.corruption: .* type would go from integer to string: .* no longer be a value/,
  ],
  'an attribute is gone': [
    profile => {
      profile.attributes.nation = without(profile.attributes.nation, 'patron')
    },
    /^attributes\.nation\.patron: 2 nations use it, and it is no longer in the profile\. Keep the key patron/,
  ],
  'a unit becomes public in losses': [
    profile => {
      for (const unit of profile.units) if (unit.key === 'speculator') unit.shows_in_losses = true
    },
    /^units\.speculator: 2 nations use the word, and shows_in_losses would go from no to yes/,
  ],
  'a strategic unit is one like others': [
    profile => {
      for (const unit of profile.units) if (unit.key === 'greek_fire') unit.is_strategic = false
    },
    /^units\.greek_fire: 2 nations .* is_strategic would go from yes to no/,
  ],
  'a unit becomes strategic': [
    profile => {
      for (const unit of profile.units)
        if (unit.key === 'cavalry') Object.assign(unit, { is_strategic: true, shows_in_losses: false })
    },
    /^units\.cavalry: 1 battle, 1 event of the log use the word, and is_strategic/,
  ],
  'a unit that only battles know is gone': [
    profile => {
      profile.units = without(profile.units, 'cavalry')
    },
    /^units\.cavalry: 1 battle, 1 event of the log use the word, and it is no longer/,
  ],
  'a unit is renamed': [
    profile => {
      for (const unit of profile.units) if (unit.key === 'legionary') unit.key = 'miles'
    },
    /^units\.legionary: 2 nations, 1 battle, .* \(is it "miles" now\?\)\. Keep the key legionary and change its label/,
  ],
  'a resource is gone': [
    profile => {
      profile.resources = without(profile.resources, 'iron')
    },
    /^resources\.iron: 2 nations, 1 alliance, 1 market price use/,
  ],
  'a rank is gone': [
    profile => {
      profile.ranks = without(profile.ranks, 'citizen')
    },
    /^ranks\.citizen: 1 member uses the word/,
  ],
  'a rank may see the treasury now': [
    profile => {
      for (const rank of profile.ranks) if (rank.key === 'citizen') rank.tier = 'officer'
    },
    /^ranks\.citizen: 1 member uses the word, and tier would go from member to officer/,
  ],
  'the currency has another key': [
    profile => {
      profile.currency = { key: 'denarius', label: 'Gold' }
    },
    /^currency\.gold: 1 market price uses the word, .* \(is it "denarius" now\?\)\. Keep the key gold and change/,
  ],
  'a kind of event is gone': [
    profile => {
      profile.event_kinds = []
    },
    /^event_kinds\.game\.omen: 1 event of the log uses the word/,
  ],
  'a member of a kind of event takes another type': [
    profile => {
      const bird = profile.event_kinds[0]?.data.bird
      if (bird) bird.type = 'integer'
    },
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
      `a word of ${list} is gone`,
      [
        (profile: Profile) => {
          profile[list] = [...without(profile[list], key), { key: 'another', label: 'Another' }]
        },
        new RegExp(`^${list}\\.${key}: ${use} the word`),
      ],
    ]),
  ),
}

for (const [what, [change, line]] of Object.entries(cases)) {
  test(`it is rejected that ${what}, while stored rows use it, and nothing changes`, async () => {
    const lines = await refusedAdoption(used, changed(change))
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(String(lines[0]), line)
    assert.deepEqual(await refusedAdoption(used, smallGame), [], 'what it had is taken again')
  })

  test(`it is accepted that ${what}, where no stored row uses it`, async () => {
    assert.deepEqual(await refusedAdoption(empty, changed(change)), [])
    // What a profile may become, an empty world may turn back from.
    assert.deepEqual(await refusedAdoption(empty, smallGame), [])
  })
}

test('all rejections are reported at once, a line each', async () => {
  const lines = await refusalsOf(
    used,
    changed(profile => {
      for (const name of ['a rank is gone', 'an attribute is gone', 'a unit is renamed'])
        cases[name]?.[0](profile)
      profile.attributes.nation = without(profile.attributes.nation, 'corruption')
    }),
  )
  assert.deepEqual(
    lines.map(line => line.split(':')[0]),
    ['units.legionary', 'ranks.citizen', 'attributes.nation.patron', 'attributes.nation.corruption'],
  )
})

test('additions, labels, addresses and unused keys are accepted', async () => {
  const taken = changed(profile => {
    profile.name = 'Imperium'
    profile.url = null
    profile.pages.war = 'https://imperium.example/war/{id}'
    profile.currency.label = 'Aureus'
    for (const unit of profile.units) unit.label = `${unit.label}!`
    profile.units = without(profile.units, 'galley')
    profile.resources = without(profile.resources, 'marble')
    profile.ranks.push({ key: 'slave', label: 'Slave', tier: 'member' })
    profile.war_types.push({ key: 'civil', label: 'Civil war' })
    profile.governments = []
    profile.attributes.nation.push({
      key: 'temple',
      type: 'string',
      description: 'A temple.',
      class: 'public',
      example: null,
    })
  })
  assert.deepEqual(await refusalsOf(used, taken), [])
  const closing = changed(profile => {
    profile.governments = [{ key: 'regnum', label: 'Regnum' }]
  }, taken)
  const lines = await refusalsOf(used, closing)
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(String(lines[0]), /^governments: 2 nations use words that are not in the list/)
  assert.deepEqual(await refusalsOf(used, smallGame), [])
})

test('keys that the game has cleared can be changed', async () => {
  const server = await used.start(smallGame)
  await ingest(server, [
    ...['n1', 'n2'].map(id =>
      put('nation', { id, attributes: { corruption: null }, military: { strategic: { greek_fire: 0 } } }),
    ),
  ])
  const { body } = await operate(server, 'GET', '/status')
  assert.ok(body.seq)
  await server.close()
  const cleared = changed(profile => {
    nation(profile, 'corruption', { class: 'public' })
    profile.units = without(profile.units, 'greek_fire')
  })
  assert.deepEqual(await refusalsOf(used, cleared), [])
})
