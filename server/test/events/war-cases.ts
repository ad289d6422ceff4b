import { alliance, battle, member, nation, put, remove, war } from '../ingest/facts.ts'
import { allianceOf, at, type Case, change, emits, fighter, nationOf, noon } from './event-case.ts'

const sides = (...sides: [name: string, alliance: object][]) =>
  put('conflict', {
    id: 'c1',
    name: 'Straits',
    cause: 'Fish',
    started_at: noon,
    sides: sides.map(([name, alliance]) => ({ name, alliances: [alliance] })),
  })
const conflict = { conflict_id: 'c1', name: 'Straits' }
const joins = (id: string, side: string) =>
  emits(
    'conflict.joined',
    `Alliance ${id} joined Straits on the side of ${side}.`,
    { conflict, alliance: allianceOf(id), side },
    { conflict_id: 'c1' },
  )
const w1 = { nation_ids: ['n3', 'n2'], alliance_ids: ['a1'], war_id: 'w1', conflict_id: 'c1' }
const w1Sides = { attacker: fighter('n3', 'a1'), defender: fighter('n2') }
const siege = { kind: 'siege', victor: 'defender', infrastructure_destroyed: 1.5 }
const b4 = {
  attacker: nationOf('n3'),
  defender: nationOf('n2'),
  attacker_helpers: [{ nation_id: 'lone', nation_name: 'Lone' }],
  defender_helpers: [{ nation_id: 'ally', nation_name: 'Old friend' }],
}
const w2 = { nation_ids: ['n1', 'n2'], alliance_ids: ['a2'], war_id: 'w2' }
const w2Sides = { attacker: fighter('n1'), defender: { ...fighter('n2', 'a2'), nation_name: 'Then' } }

const ally = {
  side: 'defender',
  ...fighter('ally', 'a2'),
  nation_name: 'Old friend',
  joined_at: noon,
  left_at: null,
}
const returned = { ...ally, nation_name: 'Older friend', joined_at: '2026-05-30T13:00:00Z' }
const w3Sides = {
  attacker: fighter('n1'),
  defender: { ...fighter('n2', 'a2'), nation_name: 'Renamed since' },
}
const lone = {
  side: 'defender',
  ...fighter('lone'),
  nation_name: 'Lone',
  joined_at: '2026-05-30T13:00:00Z',
  left_at: null,
}

/** The types of the sides of a war between nations. */
const ofNations = { attacker_type: 'nation', defender_type: 'nation', is_mutual: false }
const mutual = { ...ofNations, war_id: 'w5', type: null, is_mutual: true }
const w5Sides = {
  attacker: { ...fighter('lone'), nation_name: 'Lone' },
  defender: { ...fighter('chief'), nation_name: 'Chief' },
}
const pactSide = { ...fighter('chief', 'a9'), nation_name: 'Chief' }

/** Follow on the cases of alliances. */
export const warCases: Case[] = [
  change(
    'a conflict that starts with an alliance',
    sides(['North', { alliance_id: 'a1', joined_at: noon }]),
    emits(
      'conflict.started',
      'Straits started.',
      { conflict, cause: 'Fish' },
      { alliance_ids: ['a1'], conflict_id: 'c1' },
    ),
    joins('a1', 'North'),
  ),
  change(
    'an alliance that joins a conflict while another leaves',
    at(
      sides(
        ['North', { alliance_id: 'a1', joined_at: noon, left_at: noon }],
        ['South', { alliance_id: 'a2' }],
      ),
    ),
    joins('a2', 'South'),
  ),
  change(
    'a new war in a conflict',
    [
      nation('n2'),
      nation('n3'),
      member('n3', 'a1'),
      war('w1', 'n3', 'n2', { declared_at: noon, type: 'raid', reason: 'Fish', conflict_id: 'c1' }),
    ],
    emits(
      'war.declared',
      'Nation n3 declared war on Nation n2.',
      { war: { ...ofNations, war_id: 'w1', type: 'raid', reason: 'Fish' }, ...w1Sides },
      w1,
    ),
  ),
  change(
    'a new battle in which the defender of the war attacks',
    [
      put('nation', { id: 'n2', nation_name: 'Renamed since' }),
      battle('b1', 'w1', 'n2', 'n3', { fought_at: noon, ...siege, losses: { attacker: { tanks: 3 } } }),
    ],
    emits(
      'battle.fought',
      'Nation n3 won a battle against Nation n2.',
      {
        battle_id: 'b1',
        war_id: 'w1',
        ...siege,
        attacker: nationOf('n2'),
        defender: nationOf('n3'),
        losses: { attacker: { tanks: 3 }, defender: {} },
      },
      { ...w1, nation_ids: ['n2', 'n3'] },
    ),
  ),
  change(
    'a battle of a third nation, with its present name',
    [
      nation('ally', { nation_name: 'Ally' }),
      put('nation', { id: 'ally', nation_name: 'Old friend' }),
      battle('b2', 'w1', 'ally', 'n3', { fought_at: noon, victor: 'attacker' }),
    ],
    emits(
      'battle.fought',
      'Old friend won a battle against Nation n3.',
      {
        battle_id: 'b2',
        war_id: 'w1',
        kind: null,
        attacker: { nation_id: 'ally', nation_name: 'Old friend' },
        defender: nationOf('n3'),
        victor: 'attacker',
        losses: { attacker: {}, defender: {} },
        infrastructure_destroyed: null,
      },
      { ...w1, nation_ids: ['ally', 'n3'] },
    ),
  ),
  change(
    'a battle without a war',
    [
      nation('lone', { nation_name: 'Lone' }),
      battle('b3', null, 'lone', 'n3', { fought_at: noon, ...siege }),
    ],
    emits(
      'battle.fought_outside_war',
      'Nation n3 won a battle against Lone.',
      {
        battle_id: 'b3',
        ...siege,
        attacker: { nation_id: 'lone', nation_name: 'Lone' },
        defender: nationOf('n3'),
        losses: { attacker: {}, defender: {} },
      },
      { nation_ids: ['lone', 'n3'], alliance_ids: ['a1'] },
    ),
  ),
  change(
    'a battle that lasts',
    battle('b4', 'w1', 'n3', 'n2', {
      fought_at: noon,
      started_at: noon,
      attacker_helper_nation_ids: ['lone'],
      defender_helper_nation_ids: ['ally'],
    }),
    emits(
      'battle.started',
      'Nation n3 attacked Nation n2.',
      { battle_id: 'b4', war_id: 'w1', kind: null, ...b4 },
      { ...w1, nation_ids: ['n3', 'n2', 'lone', 'ally'] },
    ),
  ),
  change(
    'a battle in which others help, one of them of an alliance',
    battle('b5', null, 'ally', 'lone', {
      fought_at: noon,
      victor: 'draw',
      attacker_helper_nation_ids: ['n3', 'n2'],
      defender_helper_nation_ids: ['n1'],
    }),
    emits(
      'battle.fought_outside_war',
      'Old friend and Lone fought a battle that neither won.',
      {
        battle_id: 'b5',
        kind: null,
        attacker: { nation_id: 'ally', nation_name: 'Old friend' },
        defender: { nation_id: 'lone', nation_name: 'Lone' },
        attacker_helpers: [nationOf('n3'), { nation_id: 'n2', nation_name: 'Renamed since' }],
        defender_helpers: [nationOf('n1')],
        victor: 'draw',
        losses: { attacker: {}, defender: {} },
        infrastructure_destroyed: null,
      },
      { nation_ids: ['ally', 'lone', 'n3', 'n2', 'n1'] },
    ),
  ),
  change('losses of a battle that lasts', put('battle', { id: 'b4', losses: { attacker: { tanks: 1 } } })),
  change(
    'a battle that ends',
    put('battle', { id: 'b4', ended_at: noon, victor: 'attacker' }),
    emits(
      'battle.fought',
      'Nation n3 won a battle against Nation n2.',
      {
        battle_id: 'b4',
        war_id: 'w1',
        kind: null,
        ...b4,
        victor: 'attacker',
        losses: { attacker: { tanks: 1 }, defender: {} },
        infrastructure_destroyed: null,
      },
      { ...w1, nation_ids: ['n3', 'n2', 'lone', 'ally'] },
    ),
  ),
  change('a corrected battle', put('battle', { id: 'b1', victor: 'draw' })),
  change(
    'an ally that joins a war',
    [
      member('ally', 'a2'),
      put('war', { id: 'w1', participants: [{ side: 'defender', nation_id: 'ally', joined_at: noon }] }),
    ],
    emits(
      'war.joined',
      'Old friend joined the war of Nation n3 on Nation n2 on the side of Nation n2.',
      { war: { ...ofNations, war_id: 'w1', type: 'raid' }, participant: ally, ...w1Sides },
      { ...w1, nation_ids: ['n3', 'n2', 'ally'], alliance_ids: ['a1', 'a2'] },
    ),
  ),
  change(
    'a battle of a participant, with name and alliance when it joined',
    [
      put('nation', { id: 'ally', nation_name: 'Older friend' }),
      battle('b6', 'w1', 'n3', 'ally', { fought_at: noon, victor: 'draw' }),
    ],
    emits(
      'battle.fought',
      'Nation n3 and Old friend fought a battle that neither won.',
      {
        battle_id: 'b6',
        war_id: 'w1',
        kind: null,
        attacker: nationOf('n3'),
        defender: { nation_id: 'ally', nation_name: 'Old friend' },
        victor: 'draw',
        losses: { attacker: {}, defender: {} },
        infrastructure_destroyed: null,
      },
      { ...w1, nation_ids: ['n3', 'ally'], alliance_ids: ['a1', 'a2'] },
    ),
  ),
  change(
    'a participant that leaves, under the name when it joined',
    put('war', {
      id: 'w1',
      participants: [{ side: 'defender', nation_id: 'ally', joined_at: noon, left_at: noon }],
    }),
    emits(
      'war.left',
      'Old friend left the war of Nation n3 on Nation n2.',
      {
        war: { ...ofNations, war_id: 'w1', type: 'raid' },
        participant: { ...ally, left_at: noon },
        ...w1Sides,
      },
      { ...w1, nation_ids: ['n3', 'n2', 'ally'], alliance_ids: ['a1', 'a2'] },
    ),
  ),
  change(
    'a participant that returns',
    put('war', {
      id: 'w1',
      participants: [
        { side: 'defender', nation_id: 'ally', joined_at: noon, left_at: noon },
        { side: 'defender', nation_id: 'ally', joined_at: '2026-05-30T13:00:00Z' },
      ],
    }),
    emits(
      'war.joined',
      'Older friend joined the war of Nation n3 on Nation n2 on the side of Nation n2.',
      { war: { ...ofNations, war_id: 'w1', type: 'raid' }, participant: returned, ...w1Sides },
      {
        ...w1,
        nation_ids: ['n3', 'n2', 'ally'],
        alliance_ids: ['a1', 'a2'],
        occurred_at: '2026-05-30T13:00:00Z',
      },
    ),
  ),
  change(
    'a war that ends',
    put('war', { id: 'w1', ended_at: noon, outcome: 'peace' }),
    emits(
      'war.ended',
      'The war of Nation n3 on Nation n2 ended in peace.',
      {
        war: { ...ofNations, war_id: 'w1', type: 'raid' },
        outcome: 'peace',
        game_outcome: null,
        ...w1Sides,
      },
      { ...w1, nation_ids: ['n3', 'n2', 'ally'], alliance_ids: ['a1', 'a2'] },
    ),
  ),
  change('a corrected participant of a war that has ended', put('war', { id: 'w1', participants: [] })),
  change('a corrected outcome of a war', put('war', { id: 'w1', outcome: 'stalemate' })),
  change(
    'a war that has already ended',
    at(
      war('w2', 'n1', 'n2', {
        declared_at: '2026-04-01T00:00:00Z',
        status: 'ended',
        defender: { nation_id: 'n2', nation_name: 'Then', alliance_id: 'a2' },
      }),
    ),
    emits(
      'war.declared',
      'Nation n1 declared war on Then.',
      { war: { ...ofNations, war_id: 'w2', type: null, reason: null }, ...w2Sides },
      { ...w2, occurred_at: '2026-04-01T00:00:00Z' },
    ),
    emits(
      'war.ended',
      'The war of Nation n1 on Then ended.',
      {
        war: { ...ofNations, war_id: 'w2', type: null },
        outcome: null,
        game_outcome: null,
        ...w2Sides,
      },
      w2,
    ),
  ),
  change('a war that is active again', put('war', { id: 'w2', status: 'active', ended_at: null })),
  change(
    'a war that ends with an outcome of the game’s own',
    put('war', { id: 'w2', ended_at: noon, game_outcome: 'white_peace' }),
    emits(
      'war.ended',
      'The war of Nation n1 on Then ended: White peace.',
      {
        war: { ...ofNations, war_id: 'w2', type: null },
        outcome: 'peace',
        game_outcome: 'white_peace',
        ...w2Sides,
      },
      w2,
    ),
  ),
  change('a deleted war', remove('war', 'w2')),
  change(
    'a war of several, of which one joins and leaves later, and one is removed',
    [
      war('w3', 'n1', 'n2', {
        declared_at: noon,
        defender: { nation_id: 'n2', alliance_id: 'a2' },
        participants: [
          { side: 'attacker', nation_id: 'n3' },
          { side: 'defender', nation_id: 'ally', joined_at: noon, left_at: '2026-05-30T14:00:00Z' },
          { side: 'defender', nation_id: 'lone', joined_at: '2026-05-30T13:00:00Z' },
        ],
      }),
    ],
    emits(
      'war.declared',
      'Nation n1 declared war on Renamed since.',
      { war: { ...ofNations, war_id: 'w3', type: null, reason: null }, ...w3Sides },
      { nation_ids: ['n1', 'n2', 'n3', 'ally'], alliance_ids: ['a2', 'a1'], war_id: 'w3' },
    ),
    emits(
      'war.joined',
      'Lone joined the war of Nation n1 on Renamed since on the side of Renamed since.',
      { war: { ...ofNations, war_id: 'w3', type: null }, participant: lone, ...w3Sides },
      {
        nation_ids: ['n1', 'n2', 'lone'],
        alliance_ids: ['a2'],
        war_id: 'w3',
        occurred_at: '2026-05-30T13:00:00Z',
      },
    ),
    emits(
      'war.left',
      'Older friend left the war of Nation n1 on Renamed since.',
      {
        war: { ...ofNations, war_id: 'w3', type: null },
        participant: { ...returned, joined_at: noon, left_at: '2026-05-30T14:00:00Z' },
        ...w3Sides,
      },
      {
        nation_ids: ['n1', 'n2', 'ally'],
        alliance_ids: ['a2'],
        war_id: 'w3',
        occurred_at: '2026-05-30T14:00:00Z',
      },
    ),
  ),
  change(
    'a participant that is removed from a war',
    at(put('war', { id: 'w3', participants: [{ side: 'attacker', nation_id: 'n3' }] })),
    emits(
      'war.left',
      'Lone left the war of Nation n1 on Renamed since.',
      { war: { ...ofNations, war_id: 'w3', type: null }, participant: lone, ...w3Sides },
      { nation_ids: ['n1', 'n2', 'lone'], alliance_ids: ['a2'], war_id: 'w3' },
    ),
  ),
  change(
    'a war of an alliance, led by its leader, on an alliance without one, led by its first member',
    [
      alliance('a9'),
      ...['chief', 'first', 'second'].map(id => nation(id, { nation_name: id === 'chief' ? 'Chief' : id })),
      nation('a-member'),
      member('a-member', 'a9'),
      member('chief', 'a9', { rank: 'leader' }),
      alliance('a8'),
      member('second', 'a8', { joined_at: '2026-05-02T00:00:00Z' }),
      member('first', 'a8', { joined_at: '2026-05-01T00:00:00Z' }),
      put('war', {
        id: 'w4',
        attacker: { alliance_id: 'a9' },
        defender: { alliance_id: 'a8' },
        declared_at: noon,
      }),
    ],
    emits(
      'war.declared',
      'Alliance a9 declared war on Alliance a8.',
      {
        war: {
          war_id: 'w4',
          type: null,
          attacker_type: 'alliance',
          defender_type: 'alliance',
          is_mutual: false,
          reason: null,
        },
        attacker: pactSide,
        defender: { ...fighter('first', 'a8'), nation_name: 'first' },
      },
      { nation_ids: ['chief', 'first'], alliance_ids: ['a9', 'a8'], war_id: 'w4' },
    ),
  ),
  change(
    'a war of an alliance that becomes one on a nation, and ends',
    [
      put('war', { id: 'w4', defender: { nation_id: 'lone' }, defender_type: 'nation' }),
      put('war', { id: 'w4', ended_at: noon, outcome: 'attacker_victory' }),
    ],
    emits(
      'war.ended',
      'The war of Alliance a9 on Lone ended with the attacker’s victory.',
      {
        war: {
          war_id: 'w4',
          type: null,
          attacker_type: 'alliance',
          defender_type: 'nation',
          is_mutual: false,
        },
        outcome: 'attacker_victory',
        game_outcome: null,
        attacker: pactSide,
        defender: { ...fighter('lone'), nation_name: 'Lone' },
      },
      { nation_ids: ['chief', 'lone'], alliance_ids: ['a9'], war_id: 'w4' },
    ),
  ),
  change(
    'a war in which neither attacked, and which ends',
    war('w5', 'lone', 'chief', {
      is_mutual: true,
      declared_at: noon,
      ended_at: noon,
      outcome: 'defender_victory',
      defender: { nation_id: 'chief', alliance_id: null },
    }),
    emits(
      'war.declared',
      'Lone and Chief went to war.',
      { war: { ...mutual, reason: null }, ...w5Sides },
      { nation_ids: ['lone', 'chief'], war_id: 'w5' },
    ),
    emits(
      'war.ended',
      'The war between Lone and Chief ended with the victory of Chief.',
      { war: mutual, outcome: 'defender_victory', game_outcome: null, ...w5Sides },
      { nation_ids: ['lone', 'chief'], war_id: 'w5' },
    ),
  ),
  change('a deleted war of several', remove('war', 'w3')),
  change(
    'a conflict that ends',
    put('conflict', { id: 'c1', ended_at: noon }),
    emits('conflict.ended', 'Straits ended.', { conflict }, { conflict_id: 'c1' }),
  ),
]
