import { alliance, event, member, nation, put, remove } from '../ingest/facts.ts'
import { allianceOf, at, type Case, change, emits, memberOf, nationOf, noon } from './event-case.ts'
import { warCases } from './war-cases.ts'

const treaty = { type: 'non_aggression', expires_at: '2027-01-01T00:00:00Z' }
const treatyData = {
  treaty_id: 't1',
  ...treaty,
  types: ['non_aggression'],
  alliances: [allianceOf('a1'), allianceOf('a2')],
  signed_at: null,
}
const bothAlliances = { alliance_ids: ['a1', 'a2'] }
/** A pact of two kinds between a member of a1 and a nation without an alliance. */
const pact = { nation_ids: ['pact-1', 'pact-2'], types: ['protectorate', 'optional_defense'] }
const pactData = {
  treaty_id: 't2',
  type: 'protectorate',
  types: pact.types,
  nations: [nationOf('pact-1'), nationOf('pact-2')],
  signed_at: noon,
  expires_at: null,
}
const pactSubjects = { nation_ids: pact.nation_ids, alliance_ids: ['a1'] }
const treatyWithGone = {
  treaty_id: 't3',
  type: 'non_aggression',
  types: ['non_aggression'],
  alliances: [allianceOf('a1'), { ...allianceOf('over'), tag: '' }],
  signed_at: '2026-05-29T12:00:00Z',
  expires_at: null,
}
const withGone = { alliance_ids: ['a1', 'over'] }
const signedBetweenNations = (treaty_id: string) =>
  emits(
    'treaty.signed_between_nations',
    'Nation pact-1 and Nation pact-2 signed a treaty.',
    { ...pactData, treaty_id },
    pactSubjects,
  )
const endedBetweenNations = (treaty_id: string) =>
  emits(
    'treaty.ended_between_nations',
    'A treaty of Nation pact-1 and Nation pact-2 ended.',
    { ...pactData, treaty_id },
    pactSubjects,
  )
const era = { era_id: 'e1', name: 'Dawn' }
const champion = { alliance_id: 'a1', name: 'Alliance a1' }
const article = { title: 'Fish', category: 'economy' }
const articleSubjects = { nation_ids: ['n1'], alliance_ids: ['a1'] }
const weapon = { weapon: 'nuclear_missile', attacker_nation_id: 'n1', defender_nation_id: 'n2' }
const namedWeapon = { ...weapon, attacker_nation_name: 'Nation n1', defender_nation_name: 'Renamed since' }
const weaponSubjects = { nation_ids: ['n1', 'n2'], alliance_ids: ['a1'] }
const inBattle = { war_id: 'w1', battle_id: 'b1' }
const disaster = { type: 'game.disaster', occurred_at: noon }
const flood = { disaster: 'flood', severity: 3 }
const floodSubjects = { nation_ids: ['n1'], alliance_ids: ['a2'], war_id: 'w1', conflict_id: 'c1' }

export const cases: Case[] = [
  change(
    'a new nation',
    nation('n1', { founded_at: noon }),
    emits('nation.founded', 'Nation n1 was founded.', { nation: nationOf('n1') }),
  ),
  change(
    'a new name of a nation',
    [nation('renamed'), at(nation('renamed', { nation_name: 'New' }))],
    emits('nation.renamed', 'Nation renamed is now called New.', {
      nation: { nation_id: 'renamed', nation_name: 'New' },
      old_name: 'Nation renamed',
    }),
  ),
  change('a new leader, score or status of a nation', [
    nation('unannounced'),
    nation('unannounced', { leader_name: 'L', national_score: 9, status: 'vacation' }),
  ]),
  change(
    'a deleted nation',
    [nation('deleted'), alliance('left'), member('deleted', 'left'), at(remove('nation', 'deleted'))],
    emits('alliance.member_left', 'Nation deleted left Alliance left.', memberOf('deleted', 'left')),
    emits('nation.deleted', 'Nation deleted ceased to exist.', { nation: nationOf('deleted') }),
  ),
  change(
    'a new alliance',
    alliance('a1', { founded_at: noon }),
    emits('alliance.founded', 'The alliance Alliance a1 was founded.', { alliance: allianceOf('a1') }),
  ),
  change(
    'a new tag of an alliance',
    [alliance('tagged'), at(put('alliance', { id: 'tagged', tag: 'T2' }))],
    emits('alliance.renamed', 'The alliance Alliance tagged is now called Alliance tagged [T2].', {
      alliance: { ...allianceOf('tagged'), tag: 'T2' },
      old_name: 'Alliance tagged',
      old_tag: 'TAGGED',
    }),
  ),
  change(
    'a disbanded alliance',
    [alliance('over'), at(remove('alliance', 'over'))],
    emits('alliance.disbanded', 'The alliance Alliance over was disbanded.', {
      alliance: allianceOf('over'),
    }),
  ),
  change(
    'a new member',
    [nation('joins'), member('joins', 'a1', { rank: 'officer', joined_at: noon })],
    emits('alliance.member_joined', 'Nation joins joined Alliance a1.', {
      ...memberOf('joins', 'a1'),
      rank: 'officer',
    }),
  ),
  change(
    'a new rank of a member',
    [nation('rises'), member('rises', 'a1'), at(member('rises', 'a1', { rank: 'leader' }))],
    emits('alliance.rank_changed', 'Nation rises is now Chancellor in Alliance a1.', {
      ...memberOf('rises', 'a1'),
      old_rank: 'recruit',
      rank: 'leader',
    }),
  ),
  change('a permission of a member', [
    nation('may'),
    member('may', 'a1'),
    at(member('may', 'a1', { can_view_treasury: true })),
  ]),
  change(
    'a member who leaves',
    [nation('leaves'), member('leaves', 'a1'), at(remove('alliance_member', 'leaves'))],
    emits('alliance.member_left', 'Nation leaves left Alliance a1.', memberOf('leaves', 'a1')),
  ),
  change('an application', [
    nation('applies'),
    at(put('alliance_application', { nation_id: 'applies', alliance_id: 'a1' })),
  ]),
  change(
    'a new treaty',
    [alliance('a2'), at(put('treaty', { id: 't1', ...bothAlliances, ...treaty }))],
    emits('treaty.signed', 'Alliance a1 and Alliance a2 signed a treaty.', treatyData, bothAlliances),
  ),
  change(
    'a treaty that ends',
    at(remove('treaty', 't1')),
    emits('treaty.ended', 'A treaty of Alliance a1 and Alliance a2 ended.', treatyData, bothAlliances),
  ),
  change(
    'a new treaty between nations',
    [
      nation('pact-1'),
      nation('pact-2'),
      member('pact-1', 'a1'),
      put('treaty', { id: 't2', ...pact, signed_at: noon }),
    ],
    signedBetweenNations('t2'),
  ),
  change(
    'a treaty between nations that ends',
    put('treaty', { id: 't2', ended_at: noon }),
    endedBetweenNations('t2'),
  ),
  change('an ended treaty that is corrected', put('treaty', { id: 't2', ended_at: '2026-05-29T12:00:00Z' })),
  change('an ended treaty that is deleted', remove('treaty', 't2')),
  change(
    'a treaty that arrives when it has ended, with a deleted alliance',
    put('treaty', {
      id: 't3',
      ...withGone,
      type: 'non_aggression',
      signed_at: treatyWithGone.signed_at,
      ended_at: noon,
    }),
    emits('treaty.signed', 'Alliance a1 and Alliance over signed a treaty.', treatyWithGone, {
      ...withGone,
      occurred_at: treatyWithGone.signed_at,
    }),
    emits('treaty.ended', 'A treaty of Alliance a1 and Alliance over ended.', treatyWithGone, withGone),
  ),
  change(
    'a deleted nation that has a treaty',
    [put('treaty', { id: 't4', ...pact, signed_at: noon }), at(remove('nation', 'pact-2'))],
    endedBetweenNations('t4'),
    emits('nation.deleted', 'Nation pact-2 ceased to exist.', { nation: nationOf('pact-2') }),
  ),
  change(
    'a treaty that ended with a nation, and that the game ends too',
    put('treaty', { id: 't4', ...pact, ended_at: noon }),
  ),
  ...warCases,
  change('an upcoming era', put('era', { id: 'e1', name: 'Dawn', status: 'upcoming' })),
  change(
    'an era that starts',
    put('era', { id: 'e1', status: 'active', started_at: noon }),
    emits('era.started', 'Dawn began.', { era }),
  ),
  change(
    'an era that ends with a champion',
    put('era', { id: 'e1', status: 'ended', ended_at: noon, champion }),
    emits(
      'era.ended',
      'Dawn ended; its champion is Alliance a1.',
      { era, champion, reset: null },
      { alliance_ids: ['a1'] },
    ),
  ),
  change(
    'news',
    put('news_item', { id: 'x1', ...article, published_at: noon, ...articleSubjects }),
    emits('news.published', 'News: Fish', { news_id: 'x1', ...article }, articleSubjects),
  ),
  change('corrected news', put('news_item', { id: 'x1', title: 'Fishes' })),
  change(
    'a price that moved',
    [
      put('market_price', { resource: 'steel', price: 400, as_of: '2026-05-30T06:00:00Z' }),
      put('market_price', { resource: 'steel', price: 350, as_of: noon }),
    ],
    emits('market.price_moved', 'The price of steel fell by 12.5 % to 350.', {
      resource: 'steel',
      currency: 'credits',
      price: 350,
      reference_price: 400,
      change_percent: -12.5,
    }),
  ),
  change(
    'a launched weapon',
    [
      member('n1', 'a1'),
      event({ type: 'strategic_weapon.launched', occurred_at: noon, data: { ...weapon, ...inBattle } }),
    ],
    emits(
      'strategic_weapon.launched',
      'Nation n1 launched a nuclear missile at Renamed since.',
      { ...namedWeapon, ...inBattle },
      { ...weaponSubjects, war_id: 'w1', conflict_id: 'c1' },
    ),
  ),
  change(
    'an intercepted weapon',
    event({ type: 'strategic_weapon.intercepted', occurred_at: noon, data: weapon }),
    emits(
      'strategic_weapon.intercepted',
      'Renamed since intercepted a nuclear missile launched by Nation n1.',
      { ...namedWeapon, war_id: null, battle_id: null },
      weaponSubjects,
    ),
  ),
  change(
    'a kind of event of the game',
    event({ ...disaster, data: flood, summary: 'The river rose.', ...floodSubjects }),
    emits('game.disaster', 'The river rose.', { ...flood, nation_id: null }, floodSubjects),
  ),
  change(
    'an event of the game without details',
    event({ ...disaster, data: {} }),
    emits('game.disaster', 'A natural disaster struck a nation.', {
      disaster: null,
      nation_id: null,
      severity: null,
    }),
  ),
]
