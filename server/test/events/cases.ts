import { alliance, battle, event, member, nation, put, remove, war } from '../ingest/facts.ts'
import type { Fact } from '../support/test-server.ts'

export interface Event {
  id: string
  seq: number
  type: string
  occurred_at: string
  summary: string
  nation_ids: string[]
  alliance_ids: string[]
  war_id: string | null
  conflict_id: string | null
  data: Record<string, unknown>
}

/** A change of state, and what it gives rise to. What an event leaves out is none, or noon of 30 May. */
export interface Case {
  name: string
  given: Fact[]
  fact: Fact
  events: (Partial<Event> & Pick<Event, 'type' | 'summary' | 'data'>)[]
}

const noon = '2026-05-30T12:00:00Z'
const at = (fact: Fact): Fact => ({ ...fact, at: noon })
const nationOf = (id: string) => ({ nation_id: id, nation_name: `Nation ${id}` })
const allianceOf = (id: string) => ({ alliance_id: id, name: `Alliance ${id}`, tag: id.toUpperCase() })
const alone = (id: string) => ({ ...nationOf(id), alliance_id: null, alliance_name: null })

const treaty = put('treaty', {
  id: 't1',
  alliance_ids: ['a1', 'a2'],
  type: 'non_aggression',
  expires_at: '2027-01-01T00:00:00Z',
})
const treatyData = {
  treaty_id: 't1',
  type: 'non_aggression',
  alliances: [allianceOf('a1'), allianceOf('a2')],
  signed_at: null,
  expires_at: '2027-01-01T00:00:00Z',
}

const conflict = (more: object) =>
  put('conflict', { id: 'c1', name: 'Straits', cause: 'Fish', started_at: noon, ...more })
const conflictData = { conflict_id: 'c1', name: 'Straits' }
const eraData = { era_id: 'e1', name: 'Dawn' }

const weapon = { weapon: 'nuclear_missile', attacker_nation_id: 'n1', defender_nation_id: 'n2' }
const namedWeapon = { ...weapon, attacker_nation_name: 'Nation n1', defender_nation_name: 'Renamed since' }

export const cases: Case[] = [
  {
    name: 'a new nation',
    given: [],
    fact: nation('n1', { founded_at: noon }),
    events: [
      {
        type: 'nation.founded',
        summary: 'Nation n1 was founded.',
        nation_ids: ['n1'],
        data: { nation: nationOf('n1') },
      },
    ],
  },
  {
    name: 'another name of a nation',
    given: [nation('renamed')],
    fact: at(nation('renamed', { nation_name: 'New' })),
    events: [
      {
        type: 'nation.renamed',
        summary: 'Nation renamed is now called New.',
        nation_ids: ['renamed'],
        data: { nation: { nation_id: 'renamed', nation_name: 'New' }, old_name: 'Nation renamed' },
      },
    ],
  },
  {
    name: 'another leader, score or status',
    given: [nation('quiet')],
    fact: nation('quiet', { leader_name: 'L', national_score: 9, status: 'vacation' }),
    events: [],
  },
  {
    name: 'a deleted nation',
    given: [nation('deleted'), alliance('bereft'), member('deleted', 'bereft')],
    fact: at(remove('nation', 'deleted')),
    events: [
      {
        type: 'alliance.member_left',
        summary: 'Nation deleted left Alliance bereft.',
        nation_ids: ['deleted'],
        alliance_ids: ['bereft'],
        data: { nation: nationOf('deleted'), alliance: allianceOf('bereft') },
      },
      {
        type: 'nation.deleted',
        summary: 'Nation deleted ceased to exist.',
        nation_ids: ['deleted'],
        data: { nation: nationOf('deleted') },
      },
    ],
  },
  {
    name: 'a new alliance',
    given: [],
    fact: alliance('a1', { founded_at: noon }),
    events: [
      {
        type: 'alliance.founded',
        summary: 'The alliance Alliance a1 was founded.',
        alliance_ids: ['a1'],
        data: { alliance: allianceOf('a1') },
      },
    ],
  },
  {
    name: 'another tag of an alliance',
    given: [alliance('tagged')],
    fact: at(put('alliance', { id: 'tagged', tag: 'T2' })),
    events: [
      {
        type: 'alliance.renamed',
        summary: 'The alliance Alliance tagged is now called Alliance tagged [T2].',
        alliance_ids: ['tagged'],
        data: {
          alliance: { alliance_id: 'tagged', name: 'Alliance tagged', tag: 'T2' },
          old_name: 'Alliance tagged',
          old_tag: 'TAGGED',
        },
      },
    ],
  },
  {
    name: 'a disbanded alliance',
    given: [alliance('over')],
    fact: at(remove('alliance', 'over')),
    events: [
      {
        type: 'alliance.disbanded',
        summary: 'The alliance Alliance over was disbanded.',
        alliance_ids: ['over'],
        data: { alliance: allianceOf('over') },
      },
    ],
  },
  {
    name: 'a new member',
    given: [nation('joins')],
    fact: member('joins', 'a1', { rank: 'officer', joined_at: noon }),
    events: [
      {
        type: 'alliance.member_joined',
        summary: 'Nation joins joined Alliance a1.',
        nation_ids: ['joins'],
        alliance_ids: ['a1'],
        data: { nation: nationOf('joins'), alliance: allianceOf('a1'), rank: 'officer' },
      },
    ],
  },
  {
    name: 'another rank of a member',
    given: [nation('rises'), member('rises', 'a1')],
    fact: at(member('rises', 'a1', { rank: 'leader' })),
    events: [
      {
        type: 'alliance.rank_changed',
        summary: 'Nation rises is now Chancellor in Alliance a1.',
        nation_ids: ['rises'],
        alliance_ids: ['a1'],
        data: { nation: nationOf('rises'), alliance: allianceOf('a1'), old_rank: 'recruit', rank: 'leader' },
      },
    ],
  },
  {
    name: 'a permission of a member',
    given: [nation('may'), member('may', 'a1')],
    fact: at(member('may', 'a1', { can_view_treasury: true })),
    events: [],
  },
  {
    name: 'a member who leaves',
    given: [nation('leaves'), member('leaves', 'a1')],
    fact: at(remove('alliance_member', 'leaves')),
    events: [
      {
        type: 'alliance.member_left',
        summary: 'Nation leaves left Alliance a1.',
        nation_ids: ['leaves'],
        alliance_ids: ['a1'],
        data: { nation: nationOf('leaves'), alliance: allianceOf('a1') },
      },
    ],
  },
  {
    name: 'an application',
    given: [nation('applies')],
    fact: at(put('alliance_application', { nation_id: 'applies', alliance_id: 'a1' })),
    events: [],
  },
  {
    name: 'a new treaty',
    given: [alliance('a2')],
    fact: at(treaty),
    events: [
      {
        type: 'treaty.signed',
        summary: 'Alliance a1 and Alliance a2 signed a treaty.',
        alliance_ids: ['a1', 'a2'],
        data: treatyData,
      },
    ],
  },
  {
    name: 'a treaty that ends',
    given: [],
    fact: at(remove('treaty', 't1')),
    events: [
      {
        type: 'treaty.ended',
        summary: 'A treaty of Alliance a1 and Alliance a2 ended.',
        alliance_ids: ['a1', 'a2'],
        data: treatyData,
      },
    ],
  },
  {
    name: 'a conflict that starts, with who fights in it',
    given: [],
    fact: conflict({ sides: [{ name: 'North', alliances: [{ alliance_id: 'a1', joined_at: noon }] }] }),
    events: [
      {
        type: 'conflict.started',
        summary: 'Straits started.',
        alliance_ids: ['a1'],
        conflict_id: 'c1',
        data: { conflict: conflictData, cause: 'Fish' },
      },
      {
        type: 'conflict.joined',
        summary: 'Alliance a1 joined Straits on the side of North.',
        alliance_ids: ['a1'],
        conflict_id: 'c1',
        data: { conflict: conflictData, alliance: allianceOf('a1'), side: 'North' },
      },
    ],
  },
  {
    name: 'an alliance that joins while another leaves',
    given: [],
    fact: at(
      conflict({
        sides: [
          { name: 'North', alliances: [{ alliance_id: 'a1', joined_at: noon, left_at: noon }] },
          { name: 'South', alliances: [{ alliance_id: 'a2' }] },
        ],
      }),
    ),
    events: [
      {
        type: 'conflict.joined',
        summary: 'Alliance a2 joined Straits on the side of South.',
        alliance_ids: ['a2'],
        conflict_id: 'c1',
        data: { conflict: conflictData, alliance: allianceOf('a2'), side: 'South' },
      },
    ],
  },
  {
    name: 'a new war in a conflict',
    given: [nation('n2'), nation('n3'), member('n3', 'a1')],
    fact: war('w1', 'n3', 'n2', { declared_at: noon, type: 'raid', reason: 'Fish', conflict_id: 'c1' }),
    events: [
      {
        type: 'war.declared',
        summary: 'Nation n3 declared war on Nation n2.',
        nation_ids: ['n3', 'n2'],
        alliance_ids: ['a1'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: {
          war: { war_id: 'w1', type: 'raid', reason: 'Fish' },
          attacker: { ...nationOf('n3'), alliance_id: 'a1', alliance_name: 'Alliance a1' },
          defender: alone('n2'),
        },
      },
    ],
  },
  {
    name: 'a new battle, fought the other way round',
    given: [put('nation', { id: 'n2', nation_name: 'Renamed since' })],
    fact: battle('b1', 'w1', 'n2', 'n3', {
      fought_at: noon,
      kind: 'siege',
      victor: 'defender',
      losses: { attacker: { tanks: 3 } },
      infrastructure_destroyed: 1.5,
    }),
    events: [
      {
        type: 'battle.fought',
        summary: 'Nation n3 won a battle against Nation n2.',
        nation_ids: ['n2', 'n3'],
        alliance_ids: ['a1'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: {
          battle_id: 'b1',
          war_id: 'w1',
          kind: 'siege',
          attacker: nationOf('n2'),
          defender: nationOf('n3'),
          victor: 'defender',
          losses: { attacker: { tanks: 3 }, defender: {} },
          infrastructure_destroyed: 1.5,
        },
      },
    ],
  },
  {
    name: 'a battle of an ally, who is called as now',
    given: [
      nation('ally', { nation_name: 'Ally' }),
      put('nation', { id: 'ally', nation_name: 'Old friend' }),
    ],
    fact: battle('b2', 'w1', 'ally', 'n3', { fought_at: noon, victor: 'attacker' }),
    events: [
      {
        type: 'battle.fought',
        summary: 'Old friend won a battle against Nation n3.',
        nation_ids: ['ally', 'n3'],
        alliance_ids: ['a1'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: {
          battle_id: 'b2',
          war_id: 'w1',
          kind: null,
          attacker: { nation_id: 'ally', nation_name: 'Old friend' },
          defender: nationOf('n3'),
          victor: 'attacker',
          losses: { attacker: {}, defender: {} },
          infrastructure_destroyed: null,
        },
      },
    ],
  },
  {
    name: 'a corrected battle',
    given: [],
    fact: put('battle', { id: 'b1', victor: 'draw' }),
    events: [],
  },
  {
    name: 'a war that ends',
    given: [],
    fact: put('war', { id: 'w1', ended_at: noon, outcome: 'peace' }),
    events: [
      {
        type: 'war.ended',
        summary: 'The war of Nation n3 on Nation n2 ended in peace.',
        nation_ids: ['n3', 'n2'],
        alliance_ids: ['a1'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: {
          war: { war_id: 'w1', type: 'raid' },
          outcome: 'peace',
          attacker: { ...nationOf('n3'), alliance_id: 'a1', alliance_name: 'Alliance a1' },
          defender: alone('n2'),
        },
      },
    ],
  },
  {
    name: 'a corrected outcome',
    given: [],
    fact: put('war', { id: 'w1', outcome: 'stalemate' }),
    events: [],
  },
  {
    name: 'a war of history, told when it is over',
    given: [],
    fact: at(
      war('w2', 'n1', 'n2', {
        declared_at: '2026-04-01T00:00:00Z',
        status: 'ended',
        defender: { nation_id: 'n2', nation_name: 'Then' },
      }),
    ),
    events: [
      {
        type: 'war.declared',
        summary: 'Nation n1 declared war on Then.',
        occurred_at: '2026-04-01T00:00:00Z',
        nation_ids: ['n1', 'n2'],
        war_id: 'w2',
        data: {
          war: { war_id: 'w2', type: null, reason: null },
          attacker: alone('n1'),
          defender: { ...alone('n2'), nation_name: 'Then' },
        },
      },
      {
        type: 'war.ended',
        summary: 'The war of Nation n1 on Then ended.',
        nation_ids: ['n1', 'n2'],
        war_id: 'w2',
        data: {
          war: { war_id: 'w2', type: null },
          outcome: null,
          attacker: alone('n1'),
          defender: { ...alone('n2'), nation_name: 'Then' },
        },
      },
    ],
  },
  { name: 'a deleted war', given: [], fact: remove('war', 'w2'), events: [] },
  {
    name: 'a conflict that ends',
    given: [],
    fact: put('conflict', { id: 'c1', ended_at: noon }),
    events: [
      {
        type: 'conflict.ended',
        summary: 'Straits ended.',
        conflict_id: 'c1',
        data: { conflict: conflictData },
      },
    ],
  },
  {
    name: 'an era to come',
    given: [],
    fact: put('era', { id: 'e1', name: 'Dawn', status: 'upcoming' }),
    events: [],
  },
  {
    name: 'an era that starts',
    given: [],
    fact: put('era', { id: 'e1', status: 'active', started_at: noon }),
    events: [{ type: 'era.started', summary: 'Dawn began.', data: { era: eraData } }],
  },
  {
    name: 'an era that ends with a champion',
    given: [],
    fact: put('era', {
      id: 'e1',
      status: 'ended',
      ended_at: noon,
      champion: { alliance_id: 'a1', name: 'Alliance a1' },
    }),
    events: [
      {
        type: 'era.ended',
        summary: 'Dawn ended; its champion is Alliance a1.',
        alliance_ids: ['a1'],
        data: { era: eraData, champion: { alliance_id: 'a1', name: 'Alliance a1' }, reset: null },
      },
    ],
  },
  {
    name: 'news',
    given: [],
    fact: put('news_item', {
      id: 'x1',
      title: 'Fish',
      category: 'economy',
      published_at: noon,
      nation_ids: ['n1'],
      alliance_ids: ['a1'],
    }),
    events: [
      {
        type: 'news.published',
        summary: 'News: Fish',
        nation_ids: ['n1'],
        alliance_ids: ['a1'],
        data: { news_id: 'x1', title: 'Fish', category: 'economy' },
      },
    ],
  },
  { name: 'corrected news', given: [], fact: put('news_item', { id: 'x1', title: 'Fishes' }), events: [] },
  {
    name: 'a price that moved',
    given: [put('market_price', { resource: 'steel', price: 400, as_of: '2026-05-30T06:00:00Z' })],
    fact: put('market_price', { resource: 'steel', price: 350, as_of: noon }),
    events: [
      {
        type: 'market.price_moved',
        summary: 'The price of steel fell by 12.5 % to 350.',
        data: {
          resource: 'steel',
          currency: 'credits',
          price: 350,
          reference_price: 400,
          change_percent: -12.5,
        },
      },
    ],
  },
  {
    name: 'a launched weapon',
    given: [member('n1', 'a1')],
    fact: event({
      type: 'strategic_weapon.launched',
      occurred_at: noon,
      data: { ...weapon, war_id: 'w1', battle_id: 'b1' },
    }),
    events: [
      {
        type: 'strategic_weapon.launched',
        summary: 'Nation n1 launched a nuclear missile at Renamed since.',
        nation_ids: ['n1', 'n2'],
        alliance_ids: ['a1'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: { ...namedWeapon, war_id: 'w1', battle_id: 'b1' },
      },
    ],
  },
  {
    name: 'an intercepted weapon',
    given: [],
    fact: event({ type: 'strategic_weapon.intercepted', occurred_at: noon, data: weapon }),
    events: [
      {
        type: 'strategic_weapon.intercepted',
        summary: 'Renamed since intercepted a nuclear missile launched by Nation n1.',
        nation_ids: ['n1', 'n2'],
        alliance_ids: ['a1'],
        data: { ...namedWeapon, war_id: null, battle_id: null },
      },
    ],
  },
  {
    name: 'an event of the game’s own',
    given: [],
    fact: event({
      type: 'game.disaster',
      occurred_at: noon,
      data: { disaster: 'flood', severity: 3 },
      summary: 'The river rose.',
      nation_ids: ['n1'],
      alliance_ids: ['a2'],
      war_id: 'w1',
      conflict_id: 'c1',
    }),
    events: [
      {
        type: 'game.disaster',
        summary: 'The river rose.',
        nation_ids: ['n1'],
        alliance_ids: ['a2'],
        war_id: 'w1',
        conflict_id: 'c1',
        data: { disaster: 'flood', nation_id: null, severity: 3 },
      },
    ],
  },
  {
    name: 'an event of the game that says nothing more',
    given: [],
    fact: event({ type: 'game.disaster', occurred_at: noon, data: {} }),
    events: [
      {
        type: 'game.disaster',
        summary: 'A natural disaster struck a nation.',
        data: { disaster: null, nation_id: null, severity: null },
      },
    ],
  },
]
