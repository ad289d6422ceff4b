import {
  contractFor,
  demoProfile,
  type FactResource,
  factResources,
  inputFields,
  primaryKeys,
  type Resource,
  requiredMembers,
} from '@chancery/contract'
import type { Fact } from '../support/test-server.ts'
import { alliance, battle, event, nation, put, war } from './facts.ts'

/** A line that rejects its batch, and the rejection. */
export interface WrongFact {
  name: string
  /** A line as it is sent, or a fact. */
  line: string | Uint8Array | Fact
  path: string
  reason: RegExp
}

type Data = Record<string, unknown>

const withReason = (reason: RegExp, cases: [name: string, line: WrongFact['line'], path: string][]) =>
  cases.map(([name, line, path]): WrongFact => ({ name, line, path, reason }))

const putText = (members: string) => `{"op":"put","resource":"nation","data":{"id":"bad",${members}}}`
const putBytes = (...name: number[]) => {
  const [before = '', after = ''] = putText('"nation_name":"|"').split('|')
  return Buffer.concat([Buffer.from(before), Buffer.from(name), Buffer.from(after)])
}
const deeplyNested = `${'['.repeat(300_000)}"\\u0000"${']'.repeat(300_000)}`

const unreadable = [
  ...withReason(/not JSON/, [
    ['text that is not JSON', 'hello', ''],
    ['half an object', '{"op":"put",', ''],
    ['two objects on one line', '{} {}', ''],
  ]),
  ...withReason(/must be a JSON object/, [
    ['an array', '[]', ''],
    ['null', 'null', ''],
    ['a number', '7', ''],
  ]),
  ...withReason(/not UTF-8/, [
    ['bytes that are not UTF-8', putBytes(0xff, 0xfe), ''],
    ['a surrogate in UTF-8', putBytes(0xed, 0xa0, 0x80), ''],
  ]),
  ...withReason(/NUL/, [
    ['an escaped NUL character', putText('"nation_name":"a\\u0000b"'), '/data/nation_name'],
  ]),
  ...withReason(/surrogate/, [
    ['a lone surrogate, escaped', putText('"nation_name":"a\\ud83d"'), '/data/nation_name'],
  ]),
  ...withReason(/nested/, [
    [
      'a NUL character inside more brackets than any fact has',
      `{"op":"put","resource":"nation","data":${deeplyNested}}`,
      '',
    ],
  ]),
]

const time = '2026-05-20T10:00:00Z'
const gameEvent = (type: unknown, data: Data, more: Data = {}) =>
  event({ type, occurred_at: time, data, ...more })
const launch = (more: Data) =>
  gameEvent('strategic_weapon.launched', {
    weapon: 'nuclear_missile',
    attacker_nation_id: 'n1',
    defender_nation_id: 'n2',
    ...more,
  })

const malformed = [
  ...withReason(/must be one of put, delete, event, snapshot, redact, erase, reset, commit/, [
    ['no op', { resource: 'nation' }, '/op'],
    ['an op that is no string', { op: ['put'] }, '/op'],
    ['an unknown op', { op: 'patch' }, '/op'],
  ]),
  ...withReason(/must be one of alliance, nation/, [
    ['an unknown resource', { op: 'put', resource: 'planet', data: {} }, '/resource'],
    [
      'a resource that is no string',
      { op: 'put', resource: { toString: 1, valueOf: 1 }, data: {} },
      '/resource',
    ],
    ['a delete of an unknown resource', { op: 'delete', resource: 'planet', id: 'x' }, '/resource'],
  ]),
  ...withReason(/is required/, [
    ['no data', { op: 'put', resource: 'nation' }, '/data'],
    ['no key', put('nation', { nation_name: 'x' }), '/data/id'],
    ['a delete without id', { op: 'delete', resource: 'nation' }, '/id'],
  ]),
  ...withReason(/unknown field/, [
    ['an unknown field', nation('bad', { population: 1 }), '/data/population'],
    ['an unknown field with a slash in its name', nation('bad', { 'a/b~c': 1 }), '/data/a~1b~0c'],
    ['a field named __proto__', putText('"nation_name":"x","__proto__":{"a":1}'), '/data/__proto__'],
    ['an unknown field beside data', { ...nation('bad'), when: 'now' }, '/when'],
    ['a derived field', nation('bad', { rank: 1 }), '/data/rank'],
    [
      'an unknown unit',
      nation('bad', { military: { units: { dragons: 3 } } }),
      '/data/military/units/dragons',
    ],
    [
      'a strategic weapon among the losses',
      battle('bad', 'w', 'a', 'b', { losses: { attacker: { nuclear_missile: 1 } } }),
      '/data/losses/attacker/nuclear_missile',
    ],
    [
      'an attribute that the game does not have',
      nation('bad', { attributes: { mood: 1 } }),
      '/data/attributes/mood',
    ],
    ['an event with the remaining stock', launch({ remaining: 3 }), '/data/data/remaining'],
  ]),
  ...withReason(/must be a number/, [
    ['text instead of a number', nation('bad', { national_score: '10' }), '/data/national_score'],
  ]),
  ...withReason(/at most 4 decimals/, [
    ['five decimals', nation('bad', { national_score: 1.23456 }), '/data/national_score'],
  ]),
  ...withReason(/at most 3 decimals: a number has at most 15 digits/, [
    ['a score of 16 digits', nation('bad', { national_score: 900_719_925_474.0992 }), '/data/national_score'],
  ]),
  ...withReason(/no decimals: a number has at most 15 digits/, [
    [
      'a long score with a decimal',
      nation('bad', { national_score: -999_999_999_999_999.5 }),
      '/data/national_score',
    ],
  ]),
  ...withReason(/more digits than come back exactly: round it to 15/, [
    [
      'a score that JSON readers round',
      '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"N","national_score":999999999999999.04}}',
      '/data/national_score',
    ],
    [
      'money that JSON readers round',
      '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"N","economy":{"credits":9007199254740991.2}}}',
      '/data/economy/credits',
    ],
  ]),
  ...withReason(/must be at least -1000000000000000/, [
    ['a score below the range', nation('bad', { national_score: -1e15 - 1 }), '/data/national_score'],
  ]),
  ...withReason(/must be at most 1000000000000000/, [
    ['a score above the range', nation('bad', { national_score: 1e15 + 1 }), '/data/national_score'],
  ]),
  ...withReason(/must be at least 0/, [
    ['a negative area', nation('bad', { land_area: -1 }), '/data/land_area'],
  ]),
  ...withReason(/must be at most 9007199254740991/, [
    ['a count beyond 2^53 - 1', nation('bad', { city_count: 2 ** 53 }), '/data/city_count'],
  ]),
  ...withReason(/must be a single line of text/, [
    ['null for a name', nation('bad', { nation_name: null }), '/data/nation_name'],
  ]),
  ...withReason(/^must be a list, or null$/, [
    [
      'a text instead of a list',
      nation('bad', { attributes: { languages: 'Borean' } }),
      '/data/attributes/languages',
    ],
  ]),
  ...withReason(/^must be a single line of text/, [
    [
      'a line break in a text of a list',
      nation('bad', { attributes: { languages: ['Borean', 'Tide\nwater'] } }),
      '/data/attributes/languages/1',
    ],
  ]),
  ...withReason(/100/, [
    [
      'a list of more than a hundred texts',
      nation('bad', { attributes: { languages: Array.from({ length: 101 }, () => 'x') } }),
      '/data/attributes/languages',
    ],
    [
      'a text of a list that is longer than a name',
      nation('bad', { attributes: { languages: ['x'.repeat(101)] } }),
      '/data/attributes/languages/0',
    ],
  ]),
  ...withReason(/must not be empty/, [
    ['an empty name', nation('bad', { nation_name: '' }), '/data/nation_name'],
  ]),
  ...withReason(/must be an id of 1 to 64 letters/, [['an id with a space', nation('b ad'), '/data/id']]),
  ...withReason(/must be one of active, protected, vacation, inactive$/, [
    ['an unknown status', nation('bad', { status: 'asleep' }), '/data/status'],
    ['a status of the game’s own as the fixed one', nation('bad', { status: 'banned' }), '/data/status'],
  ]),
  ...withReason(/^must be one of banned$/, [
    ['an unknown status of the game', nation('bad', { game_status: 'active' }), '/data/game_status'],
  ]),
  ...withReason(/must be a UTC time such as 2026-05-20T10:00:00Z/, [
    ['a time with an offset', nation('bad', { founded_at: '2026-05-20T10:00:00+02:00' }), '/data/founded_at'],
    ['the 30th of February', nation('bad', { founded_at: '2026-02-30T10:00:00Z' }), '/data/founded_at'],
    ['a time of the fact that is no time', { ...nation('bad'), at: 'yesterday' }, '/at'],
  ]),
  ...withReason(/must be one of strategic_weapon.launched, strategic_weapon.intercepted, game.disaster/, [
    ['an unknown kind of event', gameEvent('war.won', {}), '/data/type'],
    ['an event that the service derives itself', gameEvent('war.declared', {}), '/data/type'],
    ['a kind of event that is no string', event({ type: { toString: null }, data: {} }), '/data/type'],
    ['an event without data', { op: 'event' }, '/data/type'],
  ]),
  ...withReason(/must be one of ballistic_missile, nuclear_missile/, [
    ['a weapon that is not strategic', launch({ weapon: 'tanks' }), '/data/data/weapon'],
  ]),
]

const contract = contractFor(demoProfile)

/** The resource that a member of this name refers to. */
export const referredBy = (name: string) => /(?:^|_)(nation|alliance|war|conflict|era)_ids?$/.exec(name)?.[1]

/** Rows that need other values than the examples of their required fields. */
const otherRows: Partial<Record<FactResource, Data>> = {
  alliance: { id: 'x9', name: 'A' },
  nation: { id: 'x9', nation_name: 'N' },
  alliance_member: { nation_id: 'n2', alliance_id: 'a1' },
  alliance_application: { nation_id: 'n2', alliance_id: 'a1' },
  treaty: { id: 'x9', alliance_ids: ['a1', 'a2'], type: 'non_aggression' },
  era: { id: 'x9', name: 'E', champion: { alliance_id: 'a1', name: 'A' } },
  conflict: {
    id: 'x9',
    name: 'C',
    started_at: time,
    era_id: 'e1',
    sides: [{ name: 'One', alliances: [{ alliance_id: 'a1' }] }],
  },
  war: {
    id: 'x9',
    attacker: { nation_id: 'n1', alliance_id: 'a1' },
    defender: { nation_id: 'n2', alliance_id: 'a1' },
    // Otherwise the alliance alone would be enough.
    attacker_type: 'nation',
    defender_type: 'nation',
    participants: [{ side: 'attacker', nation_id: 'n3', alliance_id: 'a2' }],
    declared_at: time,
    follows_war_id: 'w1',
    conflict_id: 'c1',
    era_id: 'e1',
  },
  battle: {
    id: 'x9',
    war_id: 'w1',
    attacker_nation_id: 'n1',
    attacker_alliance_id: 'a1',
    attacker_helper_nation_ids: ['n3'],
    defender_nation_id: 'n2',
    defender_alliance_id: 'a2',
    defender_helper_nation_ids: ['n4'],
    fought_at: time,
  },
  market_price: { resource: 'coal', price: 1, as_of: time },
}

/** The required fields of a resource with their examples, and all its references. */
function exampleRow(name: FactResource): Data {
  const resource: Resource = contract.resources[name]
  const required = Object.keys(requiredMembers(resource))
  return Object.fromEntries(
    inputFields(resource).flatMap(([field, schema]): [string, unknown][] => {
      const reference = referredBy(field)
      if (field === primaryKeys[name]) return [[field, 'x9']]
      if (reference) return [[field, field.endsWith('s') ? [`${reference[0]}1`] : `${reference[0]}1`]]
      return required.includes(field) ? [[field, (schema as { examples?: unknown[] }).examples?.[0]]] : []
    }),
  )
}

/** A new row of each resource, with all its references. What they refer to is in `existing`. */
export const newRows = Object.fromEntries(
  factResources.map(name => [name, otherRows[name] ?? exampleRow(name)]),
) as Record<FactResource, Data>

/** What the facts here refer to. */
export const existing: Fact[] = [
  ...['n1', 'n2', 'n3', 'n4'].map(id => nation(id)),
  ...['a1', 'a2'].map(id => alliance(id)),
  put('era', { id: 'e1', name: 'First' }),
  put('conflict', { ...newRows.conflict, id: 'c1' }),
  war('w1', 'n1', 'n2'),
  war('joined', 'n1', 'n2', { participants: [{ side: 'attacker', nation_id: 'n3' }] }),
]

/** The path of each reference in the data of a fact, and the resource that it refers to. */
export function referencesIn(data: object, path: string[] = []): { path: string[]; resource: string }[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const [place, resource] = [[...path, name], referredBy(name)]
    if (resource) return [{ path: Array.isArray(value) ? [...place, '0'] : place, resource }]
    return typeof value === 'object' ? referencesIn(value, place) : []
  })
}

/** A copy of the data with another value at a path; without one, the member is left out. */
function changedAt(data: object, path: string[], value?: unknown): Data {
  const copy = structuredClone(data) as Data
  const holder = path.slice(0, -1).reduce((object, name) => object[name] as Data, copy)
  holder[path.at(-1) ?? ''] = value
  return JSON.parse(JSON.stringify(copy))
}

/** Rejections name the list, not its item. */
const pathOf = (path: string[]) => `/data/${path.join('/').replace(/\/\d.*/, '')}`

// An application may be of a nation or to an alliance that is not known yet.
const checked = factResources.filter(resource => resource !== 'alliance_application')

/** The parties of a treaty have one of two lists. */
export const treatyBetweenNations = { id: 'x9', nation_ids: ['n1', 'n2'], type: 'non_aggression' }

const withReferences = {
  ...Object.fromEntries(checked.map(resource => [resource, put(resource, newRows[resource])])),
  'treaty between nations': put('treaty', treatyBetweenNations),
  'ended treaty': put('treaty', { ...treatyBetweenNations, status: 'ended' }),
  'weapon event': launch({ war_id: 'w1' }),
  'event of the game': gameEvent(
    'game.disaster',
    {},
    { nation_ids: ['n1'], alliance_ids: ['a1'], war_id: 'w1', conflict_id: 'c1' },
  ),
}

const unknownReferences = Object.entries(withReferences).flatMap(([name, { data, ...fact }]) =>
  referencesIn(data as object).map(
    ({ path, resource }): WrongFact => ({
      name: `a new ${name} with an unknown ${path.join('.')}`,
      line: { ...fact, data: changedAt(data as object, path, 'none') },
      path: pathOf(path),
      reason: new RegExp(`^there is no ${resource} none$`),
    }),
  ),
)

const incomplete = factResources.flatMap(resource =>
  Object.entries(requiredMembers(contract.resources[resource]))
    .flatMap(([field, members]) => [[field], ...members.map(member => [field, member])])
    .filter(([field]) => field !== primaryKeys[resource])
    .map(
      (path): WrongFact => ({
        name: `a new ${resource} without ${path.join('.')}`,
        line: put(resource, changedAt(newRows[resource], path)),
        path: pathOf(path),
        reason: new RegExp(`^is required for a new ${resource}$`),
      }),
    ),
)

const ofAlliance = (more: Data) =>
  put('war', {
    id: 'w9',
    attacker: { alliance_id: 'a2' },
    defender: { nation_id: 'n2' },
    declared_at: time,
    ...more,
  })

const joined = (...participants: Data[]) =>
  put('war', {
    id: 'w1',
    participants: participants.map(more => ({ side: 'attacker', nation_id: 'n3', ...more })),
  })

const contradictory = [
  ...withReason(/must differ from the attacker's nation/, [
    ['a new war of a nation on itself', war('w9', 'n1', 'n1'), '/data/defender/nation_id'],
    [
      'a war that is changed to be on its own attacker',
      put('war', { id: 'w1', defender: { nation_id: 'n1' } }),
      '/data/defender/nation_id',
    ],
  ]),
  ...withReason(/must name nations that are not in this battle already, which n[14] is/, [
    [
      'a side that helps itself',
      put('battle', { ...newRows.battle, attacker_helper_nation_ids: ['n1'] }),
      '/data/attacker_helper_nation_ids',
    ],
    [
      'a helper of both sides',
      put('battle', {
        ...newRows.battle,
        attacker_helper_nation_ids: ['n4'],
      }),
      '/data/defender_helper_nation_ids',
    ],
  ]),
  ...withReason(/^must be inactive, which the game profile states for game_status banned$/, [
    [
      'a status other than that of the game’s own status',
      nation('bad', { status: 'active', game_status: 'banned' }),
      '/data/status',
    ],
  ]),
  ...withReason(/^must be peace, which the game profile states for game_outcome white_peace$/, [
    [
      'an outcome other than that of the game’s own outcome',
      put('war', { id: 'w1', outcome: null, game_outcome: 'white_peace' }),
      '/data/outcome',
    ],
  ]),
  ...withReason(/nation n\d must not be a side and a participant of the war/, [
    ['a war whose attacker joins it', joined({ nation_id: 'n1' }), '/data/participants/0/nation_id'],
    [
      'a war whose participant becomes its defender',
      put('war', { id: 'joined', defender: { nation_id: 'n3' } }),
      '/data/defender/nation_id',
    ],
  ]),
  ...withReason(/alliance a2 has no members: send also nation_id, the nation that leads it/, [
    ['a new war of an alliance without members', ofAlliance({}), '/data/attacker/alliance_id'],
  ]),
  ...withReason(/there is no alliance none/, [
    [
      'a new war of an unknown alliance',
      ofAlliance({ attacker: { alliance_id: 'none' } }),
      '/data/attacker/alliance_id',
    ],
  ]),
  ...withReason(/is required for a new war$/, [
    ['a new war without its attacker', ofAlliance({ attacker: {} }), '/data/attacker/nation_id'],
    [
      'a new war of a nation that only its alliance names',
      ofAlliance({ attacker_type: 'nation' }),
      '/data/attacker/nation_id',
    ],
  ]),
  ...withReason(/nation n2 had no alliance at the declaration/, [
    [
      'a new war on the alliance of a nation without one',
      war('w9', 'n1', 'n2', { defender_type: 'alliance' }),
      '/data/defender_type',
    ],
  ]),
  ...withReason(/must be another war/, [
    ['a war that continues itself', put('war', { id: 'w1', follows_war_id: 'w1' }), '/data/follows_war_id'],
  ]),
  ...withReason(/must not be before joined_at/, [
    [
      'a participant that leaves before it joins',
      joined({ joined_at: time, left_at: '2026-05-20T09:59:59Z' }),
      '/data/participants/0/left_at',
    ],
  ]),
  ...withReason(/nation n3 must not take part twice at the same time/, [
    ['a participant that is given twice', joined({}, {}), '/data/participants/1'],
    [
      'a participant that joins the other side before it left',
      joined({ left_at: '2026-05-22T10:00:00Z' }, { side: 'defender', joined_at: '2026-05-22T09:00:00Z' }),
      '/data/participants/1',
    ],
  ]),
  ...withReason(/must be two different alliances/, [
    [
      'a treaty of an alliance with itself',
      put('treaty', { ...newRows.treaty, alliance_ids: ['a1', 'a1'] }),
      '/data/alliance_ids',
    ],
    [
      'a treaty of one alliance',
      put('treaty', { ...newRows.treaty, alliance_ids: ['a1'] }),
      '/data/alliance_ids',
    ],
  ]),
  ...withReason(/must be two different nations/, [
    [
      'a treaty of a nation with itself',
      put('treaty', { ...treatyBetweenNations, nation_ids: ['n1', 'n1'] }),
      '/data/nation_ids',
    ],
  ]),
  ...withReason(/between two alliances \(alliance_ids\) or two nations \(nation_ids\)/, [
    [
      'a treaty of alliances and nations',
      put('treaty', { ...newRows.treaty, nation_ids: ['n1', 'n2'] }),
      '/data/alliance_ids',
    ],
    ['a treaty without parties', put('treaty', { id: 'x9', type: 'non_aggression' }), '/data/alliance_ids'],
  ]),
  ...withReason(/must begin with type \(non_aggression\)/, [
    [
      'a treaty whose kinds contradict each other',
      put('treaty', { ...newRows.treaty, types: ['protectorate', 'non_aggression'] }),
      '/data/types',
    ],
  ]),
  ...withReason(/must be ended for a treaty with ended_at/, [
    [
      'a treaty in force that has ended',
      put('treaty', { ...newRows.treaty, status: 'active', ended_at: time }),
      '/data/status',
    ],
  ]),
]

export const wrongFacts = [...unreadable, ...malformed, ...unknownReferences, ...incomplete, ...contradictory]
