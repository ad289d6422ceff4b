import { battle, member, nation, put, remove, war } from '../ingest/facts.ts'
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
const w2 = { nation_ids: ['n1', 'n2'], alliance_ids: ['a2'], war_id: 'w2' }
const w2Sides = { attacker: fighter('n1'), defender: { ...fighter('n2', 'a2'), nation_name: 'Then' } }

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
      { war: { war_id: 'w1', type: 'raid', reason: 'Fish' }, ...w1Sides },
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
    battle('b4', 'w1', 'n3', 'n2', { fought_at: noon, started_at: noon }),
    emits(
      'battle.started',
      'Nation n3 attacked Nation n2.',
      { battle_id: 'b4', war_id: 'w1', kind: null, attacker: nationOf('n3'), defender: nationOf('n2') },
      w1,
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
        attacker: nationOf('n3'),
        defender: nationOf('n2'),
        victor: 'attacker',
        losses: { attacker: { tanks: 1 }, defender: {} },
        infrastructure_destroyed: null,
      },
      w1,
    ),
  ),
  change('a corrected battle', put('battle', { id: 'b1', victor: 'draw' })),
  change(
    'a war that ends',
    put('war', { id: 'w1', ended_at: noon, outcome: 'peace' }),
    emits(
      'war.ended',
      'The war of Nation n3 on Nation n2 ended in peace.',
      { war: { war_id: 'w1', type: 'raid' }, outcome: 'peace', ...w1Sides },
      w1,
    ),
  ),
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
      { war: { war_id: 'w2', type: null, reason: null }, ...w2Sides },
      { ...w2, occurred_at: '2026-04-01T00:00:00Z' },
    ),
    emits(
      'war.ended',
      'The war of Nation n1 on Then ended.',
      { war: { war_id: 'w2', type: null }, outcome: null, ...w2Sides },
      w2,
    ),
  ),
  change('a deleted war', remove('war', 'w2')),
  change(
    'a conflict that ends',
    put('conflict', { id: 'c1', ended_at: noon }),
    emits('conflict.ended', 'Straits ended.', { conflict }, { conflict_id: 'c1' }),
  ),
]
