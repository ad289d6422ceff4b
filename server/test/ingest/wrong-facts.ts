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
  ...withReason(/must be at least 0/, [
    ['a negative score', nation('bad', { national_score: -1 }), '/data/national_score'],
  ]),
  ...withReason(/must be at most 9007199254740991/, [
    ['a count beyond 2^53 - 1', nation('bad', { city_count: 2 ** 53 }), '/data/city_count'],
  ]),
  ...withReason(/must be a single line of text/, [
    ['null for a name', nation('bad', { nation_name: null }), '/data/nation_name'],
  ]),
  ...withReason(/must not be empty/, [
    ['an empty name', nation('bad', { nation_name: '' }), '/data/nation_name'],
  ]),
  ...withReason(/must be an id of 1 to 64 letters/, [['an id with a space', nation('b ad'), '/data/id']]),
  ...withReason(/must be one of active, protected, vacation, inactive$/, [
    ['an unknown status', nation('bad', { status: 'asleep' }), '/data/status'],
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
    declared_at: time,
    conflict_id: 'c1',
    era_id: 'e1',
  },
  battle: {
    id: 'x9',
    war_id: 'w1',
    attacker_nation_id: 'n1',
    defender_nation_id: 'n2',
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
  ...['n1', 'n2'].map(id => nation(id)),
  ...['a1', 'a2'].map(id => alliance(id)),
  put('era', { id: 'e1', name: 'First' }),
  put('conflict', { ...newRows.conflict, id: 'c1' }),
  war('w1', 'n1', 'n2'),
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

const withReferences = {
  ...Object.fromEntries(checked.map(resource => [resource, put(resource, newRows[resource])])),
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

const contradictory = [
  ...withReason(/must differ from the attacker's nation/, [
    ['a new war of a nation on itself', war('w9', 'n1', 'n1'), '/data/defender/nation_id'],
    [
      'a war that is changed to be on its own attacker',
      put('war', { id: 'w1', defender: { nation_id: 'n1' } }),
      '/data/defender/nation_id',
    ],
  ]),
  ...withReason(/must be two different alliances/, [
    [
      'a treaty of an alliance with itself',
      put('treaty', { ...newRows.treaty, alliance_ids: ['a1', 'a1'] }),
      '/data/alliance_ids',
    ],
  ]),
]

export const wrongFacts = [...unreadable, ...malformed, ...unknownReferences, ...incomplete, ...contradictory]
