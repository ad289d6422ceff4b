import type { Fact } from '../support/test-server.ts'
import { battle, event, member, nation, put, war } from './facts.ts'

/** A line that the door refuses, and what it says of it. */
export interface Wrong {
  name: string
  /** One line as it is sent, or a fact. */
  line: string | Uint8Array | Fact
  path: string
  reason: RegExp
}

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map(part => Buffer.from(part)))

export const unreadable: Wrong[] = [
  { name: 'text that is not JSON', line: 'hello', path: '', reason: /not JSON/ },
  { name: 'half an object', line: '{"op":"put",', path: '', reason: /not JSON/ },
  { name: 'two objects on one line', line: '{} {}', path: '', reason: /not JSON/ },
  { name: 'an array', line: '[]', path: '', reason: /is a JSON object/ },
  { name: 'null', line: 'null', path: '', reason: /is a JSON object/ },
  { name: 'a number', line: '7', path: '', reason: /is a JSON object/ },
  {
    name: 'bytes that are not UTF-8',
    line: bytes('{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"', [0xff, 0xfe], '"}}'),
    path: '',
    reason: /not UTF-8/,
  },
  {
    name: 'a surrogate in UTF-8',
    line: bytes(
      '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"',
      [0xed, 0xa0, 0x80],
      '"}}',
    ),
    path: '',
    reason: /not UTF-8/,
  },
  {
    name: 'an escaped NUL character',
    line: '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"a\\u0000b"}}',
    path: '/data/nation_name',
    reason: /NUL/,
  },
  {
    name: 'half a surrogate pair, escaped',
    line: '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"a\\ud83d"}}',
    path: '/data/nation_name',
    reason: /surrogate/,
  },
  {
    name: 'a NUL character deep inside more brackets than any fact has',
    line: `{"op":"put","resource":"nation","data":${'['.repeat(300_000)}"\\u0000"${']'.repeat(300_000)}}`,
    path: '',
    reason: /nested/,
  },
]

export const malformed: Wrong[] = [
  {
    name: 'no op',
    line: { resource: 'nation' },
    path: '/op',
    reason: /must be one of put, delete, event, snapshot, redact, erase, reset, commit/,
  },
  { name: 'an op that is no word', line: { op: ['put'] }, path: '/op', reason: /must be one of put/ },
  { name: 'an unknown op', line: { op: 'patch' }, path: '/op', reason: /must be one of put/ },
  {
    name: 'an unknown resource',
    line: { op: 'put', resource: 'planet', data: {} },
    path: '/resource',
    reason: /must be one of alliance, nation/,
  },
  {
    name: 'a resource that is no word',
    line: { op: 'put', resource: { toString: 1, valueOf: 1 }, data: {} },
    path: '/resource',
    reason: /must be one of alliance, nation/,
  },
  { name: 'no data', line: { op: 'put', resource: 'nation' }, path: '/data', reason: /is required/ },
  { name: 'no key', line: put('nation', { nation_name: 'x' }), path: '/data/id', reason: /is required/ },
  {
    name: 'an unknown field',
    line: nation('bad', { population: 1 }),
    path: '/data/population',
    reason: /unknown field/,
  },
  {
    name: 'an unknown field with a slash in its name',
    line: nation('bad', { 'a/b~c': 1 }),
    path: '/data/a~1b~0c',
    reason: /unknown field/,
  },
  {
    name: 'a field named __proto__',
    line: '{"op":"put","resource":"nation","data":{"id":"bad","nation_name":"x","__proto__":{"a":1}}}',
    path: '/data/__proto__',
    reason: /unknown field/,
  },
  {
    name: 'an unknown field beside data',
    line: { ...nation('bad'), when: 'now' },
    path: '/when',
    reason: /unknown field/,
  },
  { name: 'a derived field', line: nation('bad', { rank: 1 }), path: '/data/rank', reason: /unknown field/ },
  {
    name: 'text where a number belongs',
    line: nation('bad', { national_score: '10' }),
    path: '/data/national_score',
    reason: /must be a number/,
  },
  {
    name: 'five decimals',
    line: nation('bad', { national_score: 1.23456 }),
    path: '/data/national_score',
    reason: /at most 4 decimals/,
  },
  {
    name: 'a negative score',
    line: nation('bad', { national_score: -1 }),
    path: '/data/national_score',
    reason: /must be at least 0/,
  },
  {
    name: 'a count beyond 2^53 - 1',
    line: nation('bad', { city_count: 2 ** 53 }),
    path: '/data/city_count',
    reason: /must be at most 9007199254740991/,
  },
  {
    name: 'null for a name',
    line: nation('bad', { nation_name: null }),
    path: '/data/nation_name',
    reason: /must be a single line of text/,
  },
  {
    name: 'an empty name',
    line: nation('bad', { nation_name: '' }),
    path: '/data/nation_name',
    reason: /must not be empty/,
  },
  {
    name: 'an id with a space',
    line: nation('b ad'),
    path: '/data/id',
    reason: /must be an id of 1 to 64 letters/,
  },
  {
    name: 'an unknown word',
    line: nation('bad', { status: 'asleep' }),
    path: '/data/status',
    reason: /must be one of active, protected, vacation, inactive$/,
  },
  {
    name: 'an unknown unit',
    line: nation('bad', { military: { units: { dragons: 3 } } }),
    path: '/data/military/units/dragons',
    reason: /unknown field/,
  },
  {
    name: 'a strategic weapon among the losses',
    line: battle('bad', 'w', 'a', 'b', { losses: { attacker: { nuclear_missile: 1 } } }),
    path: '/data/losses/attacker/nuclear_missile',
    reason: /unknown field/,
  },
  {
    name: 'a time with an offset',
    line: nation('bad', { founded_at: '2026-05-20T10:00:00+02:00' }),
    path: '/data/founded_at',
    reason: /must be a UTC time such as 2026-05-20T10:00:00Z/,
  },
  {
    name: 'the 30th of February',
    line: nation('bad', { founded_at: '2026-02-30T10:00:00Z' }),
    path: '/data/founded_at',
    reason: /must be a UTC time such as 2026-05-20T10:00:00Z/,
  },
  {
    name: 'a time of the fact that is no time',
    line: { ...nation('bad'), at: 'yesterday' },
    path: '/at',
    reason: /must be a UTC time such as 2026-05-20T10:00:00Z/,
  },
  {
    name: 'an attribute that the game does not have',
    line: nation('bad', { attributes: { mood: 1 } }),
    path: '/data/attributes/mood',
    reason: /unknown field/,
  },
  {
    name: 'a delete of an unknown resource',
    line: { op: 'delete', resource: 'planet', id: 'x' },
    path: '/resource',
    reason: /must be one of alliance, nation/,
  },
  {
    name: 'a delete without id',
    line: { op: 'delete', resource: 'nation' },
    path: '/id',
    reason: /is required/,
  },
  {
    name: 'an unknown kind of event',
    line: event({ type: 'war.won', occurred_at: '2026-05-20T10:00:00Z', data: {} }),
    path: '/data/type',
    reason: /must be one of strategic_weapon.launched, strategic_weapon.intercepted, game.disaster/,
  },
  {
    name: 'an event that the service derives itself',
    line: event({ type: 'war.declared', occurred_at: '2026-05-20T10:00:00Z', data: {} }),
    path: '/data/type',
    reason: /must be one of strategic_weapon/,
  },
  {
    name: 'a kind of event that is no word',
    line: event({ type: { toString: null }, data: {} }),
    path: '/data/type',
    reason: /must be one of strategic_weapon/,
  },
  { name: 'an event without data', line: { op: 'event' }, path: '/data/type', reason: /must be one of/ },
  {
    name: 'an event that tells what is left of a stock',
    line: event({
      type: 'strategic_weapon.launched',
      occurred_at: '2026-05-20T10:00:00Z',
      data: { weapon: 'nuclear_missile', attacker_nation_id: 'a', defender_nation_id: 'b', remaining: 3 },
    }),
    path: '/data/data/remaining',
    reason: /unknown field/,
  },
  {
    name: 'a weapon that is not strategic',
    line: event({
      type: 'strategic_weapon.launched',
      occurred_at: '2026-05-20T10:00:00Z',
      data: { weapon: 'tanks', attacker_nation_id: 'a', defender_nation_id: 'b' },
    }),
    path: '/data/data/weapon',
    reason: /must be one of ballistic_missile, nuclear_missile/,
  },
]

/** References to what neither is nor was. The world has n1, n2, a1 and w1. */
export const nowhere: Wrong[] = [
  {
    name: 'a member that is no nation',
    line: member('none', 'a1'),
    path: '/data/nation_id',
    reason: /there is no nation none/,
  },
  {
    name: 'a member of no alliance',
    line: member('n1', 'none'),
    path: '/data/alliance_id',
    reason: /there is no alliance none/,
  },
  {
    name: 'a treaty with no alliance',
    line: put('treaty', { id: 't1', alliance_ids: ['a1', 'none'], type: 'non_aggression' }),
    path: '/data/alliance_ids',
    reason: /there is no alliance none/,
  },
  {
    name: 'a war by no nation',
    line: war('w9', 'none', 'n2'),
    path: '/data/attacker/nation_id',
    reason: /there is no nation none/,
  },
  {
    name: 'a war on no nation',
    line: war('w9', 'n1', 'none'),
    path: '/data/defender/nation_id',
    reason: /there is no nation none/,
  },
  {
    name: 'a war for no alliance',
    line: put('war', {
      id: 'w9',
      attacker: { nation_id: 'n1', alliance_id: 'none' },
      defender: { nation_id: 'n2' },
      declared_at: '2026-05-20T10:00:00Z',
    }),
    path: '/data/attacker/alliance_id',
    reason: /there is no alliance none/,
  },
  {
    name: 'a war of no conflict',
    line: war('w9', 'n1', 'n2', { conflict_id: 'none' }),
    path: '/data/conflict_id',
    reason: /there is no conflict none/,
  },
  {
    name: 'a war of no era',
    line: war('w9', 'n1', 'n2', { era_id: 'none' }),
    path: '/data/era_id',
    reason: /there is no era none/,
  },
  {
    name: 'a battle of no war',
    line: battle('b9', 'none', 'n1', 'n2'),
    path: '/data/war_id',
    reason: /there is no war none/,
  },
  {
    name: 'a battle by no nation',
    line: battle('b9', 'w1', 'none', 'n2'),
    path: '/data/attacker_nation_id',
    reason: /there is no nation none/,
  },
  {
    name: 'a battle against no nation',
    line: battle('b9', 'w1', 'n1', 'none'),
    path: '/data/defender_nation_id',
    reason: /there is no nation none/,
  },
  {
    name: 'a conflict of no alliance',
    line: put('conflict', {
      id: 'c9',
      name: 'C',
      started_at: '2026-05-20T10:00:00Z',
      sides: [{ name: 'One', alliances: [{ alliance_id: 'none' }] }],
    }),
    path: '/data/sides',
    reason: /there is no alliance none/,
  },
  {
    name: 'a conflict of no era',
    line: put('conflict', { id: 'c9', name: 'C', started_at: '2026-05-20T10:00:00Z', era_id: 'none' }),
    path: '/data/era_id',
    reason: /there is no era none/,
  },
  {
    name: 'a champion that is no alliance',
    line: put('era', { id: 'e9', name: 'E', champion: { alliance_id: 'none', name: 'None' } }),
    path: '/data/champion/alliance_id',
    reason: /there is no alliance none/,
  },
  {
    name: 'news of no nation',
    line: put('news_item', {
      id: 'x9',
      title: 'T',
      published_at: '2026-05-20T10:00:00Z',
      nation_ids: ['none'],
    }),
    path: '/data/nation_ids',
    reason: /there is no nation none/,
  },
  {
    name: 'news of no alliance',
    line: put('news_item', {
      id: 'x9',
      title: 'T',
      published_at: '2026-05-20T10:00:00Z',
      alliance_ids: ['none'],
    }),
    path: '/data/alliance_ids',
    reason: /there is no alliance none/,
  },
  ...['attacker_nation_id', 'defender_nation_id', 'war_id'].map(place => ({
    name: `a weapon event with a ${place} that is nothing`,
    line: event({
      type: 'strategic_weapon.launched',
      occurred_at: '2026-05-20T10:00:00Z',
      data: {
        weapon: 'nuclear_missile',
        attacker_nation_id: 'n1',
        defender_nation_id: 'n2',
        [place]: 'none',
      },
    }),
    path: `/data/data/${place}`,
    reason: /there is no (nation|war) none/,
  })),
  ...Object.entries({
    nation_ids: ['none'],
    alliance_ids: ['none'],
    war_id: 'none',
    conflict_id: 'none',
  }).map(([place, value]) => ({
    name: `an event of the game with ${place} that is nothing`,
    line: event({ type: 'game.disaster', occurred_at: '2026-05-20T10:00:00Z', data: {}, [place]: value }),
    path: `/data/${place}`,
    reason: /there is no \w+ none/,
  })),
]

/** New things without what a new thing needs. */
export const needing: Wrong[] = [
  {
    name: 'a new war of a nation on itself',
    line: war('w9', 'n1', 'n1'),
    path: '/data/defender/nation_id',
    reason: /must differ from the attacker's nation/,
  },
  {
    name: 'a war that is turned on its own attacker',
    line: put('war', { id: 'w1', defender: { nation_id: 'n1' } }),
    path: '/data/defender/nation_id',
    reason: /must differ from the attacker's nation/,
  },
  {
    name: 'a treaty of an alliance with itself',
    line: put('treaty', { id: 't9', alliance_ids: ['a1', 'a1'], type: 'non_aggression' }),
    path: '/data/alliance_ids',
    reason: /must be two different alliances/,
  },
  {
    name: 'a new nation without a name',
    line: put('nation', { id: 'bad' }),
    path: '/data/nation_name',
    reason: /a new nation needs nation_name/,
  },
  {
    name: 'a new alliance without a name',
    line: put('alliance', { id: 'bad' }),
    path: '/data/name',
    reason: /a new alliance needs name/,
  },
  {
    name: 'a new membership without an alliance',
    line: put('alliance_member', { nation_id: 'n2' }),
    path: '/data/alliance_id',
    reason: /a new alliance_member needs alliance_id/,
  },
  {
    name: 'a new war without its beginning',
    line: war('w9', 'n1', 'n2', { declared_at: undefined }),
    path: '/data/declared_at',
    reason: /a new war needs declared_at/,
  },
  {
    name: 'a new war without its attacker',
    line: put('war', { id: 'w9', defender: { nation_id: 'n2' }, declared_at: '2026-05-20T10:00:00Z' }),
    path: '/data/attacker',
    reason: /a new war needs attacker/,
  },
  {
    name: 'a new war whose attacker is only a name',
    line: put('war', {
      id: 'w9',
      attacker: { nation_name: 'x' },
      defender: { nation_id: 'n2' },
      declared_at: '2026-05-20T10:00:00Z',
    }),
    path: '/data/attacker/nation_id',
    reason: /a new war needs attacker.nation_id/,
  },
  {
    name: 'a new battle without its war',
    line: put('battle', { id: 'b9' }),
    path: '/data/war_id',
    reason: /a new battle needs war_id/,
  },
  {
    name: 'a new price without a price',
    line: put('market_price', { resource: 'coal' }),
    path: '/data/price',
    reason: /a new market_price needs price/,
  },
]
