import { alliance, battle, event, member, nation, put, remove, war } from '../ingest/facts.ts'
import type { Fact } from '../support/test-server.ts'

/** Unique texts; none is a part of another. */
const canaries = {
  nation: [
    'Quellmark One',
    'Quellmark Two',
    'missile at me',
    'Quellmark Last',
    'Qleader One',
    'Qmotto One',
    'qflag-one',
    'Qtongue One',
    'Qtongue Two',
  ],
  deletedNation: ['Xendria Gone'],
  alliance: ['Zephyr League', 'Zephyr Union', '«ZQL»', '«ZQU»', 'Zdescription One', 'zflag-one', 'Zport One'],
  deletedAlliance: ['Yarrow Gone', '«YGQ»'],
  war: ['Wreason One'],
  conflict: ['Vconflict One', 'Vcause One'],
  era: ['Uera One', 'Usummary One'],
  news: ['Ttitle One', 'Tbody One', 'Tauthor One'],
  deletedNews: ['Stitle Gone'],
}
export const allCanaries = Object.values(canaries).flat()

const day = (number: number) => `2026-05-${String(number).padStart(2, '0')}T12:00:00Z`

const weapon = (type: string, at: string, attacker: string, defender: string) =>
  event({
    type,
    occurred_at: at,
    data: {
      weapon: 'nuclear_missile',
      attacker_nation_id: attacker,
      defender_nation_id: defender,
      war_id: 'w1',
    },
  })

const disaster = (more: object) =>
  event({ type: 'game.disaster', occurred_at: day(3), data: { severity: 2 }, ...more })

/** Batches that put each canary into every place that can hold such a text. */
export const batches: Fact[][] = [
  [
    put('era', { id: 'e1', name: 'Uera One', summary: 'Usummary One', started_at: day(1) }),
    alliance('a1', {
      name: 'Zephyr League',
      tag: '«ZQL»',
      description: 'Zdescription One',
      attributes: { headquarters: 'Zport One' },
      flag_url: 'https://game.example/zflag-one.png',
    }),
    alliance('a2', { name: 'Bystander Pact', tag: 'BP' }),
    alliance('a3', { name: 'Yarrow Gone', tag: '«YGQ»' }),
    nation('n1', {
      nation_name: 'Quellmark One',
      leader_name: 'Qleader One',
      motto: 'Qmotto One',
      flag_url: 'https://game.example/qflag-one.png',
      attributes: { languages: ['Qtongue One', 'Tidewater', 'Qtongue Two'] },
      national_score: 10,
    }),
    nation('n2', { nation_name: 'Bystander', leader_name: 'Other Leader', national_score: 5 }),
    nation('n3', { nation_name: 'Xendria Gone' }),
    nation('n4', { nation_name: 'Renamed Bystander' }),
    member('n1', 'a1', { rank: 'leader' }),
    member('n2', 'a2', { rank: 'leader' }),
    member('n3', 'a3'),
    put('treaty', { id: 't1', alliance_ids: ['a1', 'a2'], type: 'non_aggression' }),
    put('treaty', { id: 't2', alliance_ids: ['a3', 'a2'], type: 'non_aggression' }),
    put('treaty', { id: 't3', nation_ids: ['n1', 'n2'], type: 'non_aggression' }),
    put('treaty', { id: 't4', nation_ids: ['n2', 'n3'], type: 'non_aggression' }),
    put('conflict', {
      id: 'c1',
      name: 'Vconflict One',
      cause: 'Vcause One',
      started_at: day(2),
      era_id: 'e1',
      sides: [
        { name: 'zephyr league and friends', alliances: [{ alliance_id: 'a1' }, { alliance_id: 'a3' }] },
        { name: 'Others', alliances: [{ alliance_id: 'a2' }] },
      ],
    }),
    war('w1', 'n1', 'n2', { reason: 'Wreason One', conflict_id: 'c1', era_id: 'e1' }),
    war('w2', 'n2', 'n1', { status: 'ended', outcome: 'attacker_victory' }),
    war('w3', 'n3', 'n2', { participants: [{ side: 'attacker', nation_id: 'n1', joined_at: day(21) }] }),
    war('w4', 'n2', 'n1', { reason: 'Wreason One' }),
    battle('b1', 'w1', 'n1', 'n2', { victor: 'attacker' }),
    battle('b2', 'w1', 'n3', 'n1', { victor: 'draw' }),
    weapon('strategic_weapon.launched', day(3), 'n1', 'n2'),
    weapon('strategic_weapon.intercepted', day(3), 'n4', 'n1'),
    weapon('strategic_weapon.intercepted', day(3), 'n1', 'n4'),
    disaster({
      summary: 'A storm struck Quellmark One and Xendria Gone.',
      nation_ids: ['n1', 'n3'],
      data: { disaster: 'storm over QUELLMARK ONE, ruled by Qleader One', nation_id: 'n1', severity: 3 },
    }),
    disaster({
      summary: 'A flood struck Zephyr League [«ZQL»].',
      alliance_ids: ['a1'],
      data: { disaster: 'at Zport One' },
    }),
    disaster({
      summary: 'They cried in qtongue one.',
      nation_ids: ['n1'],
      data: { disaster: 'a drought of Qtongue Two' },
    }),
    disaster({ summary: 'Peace over Vconflict One.', conflict_id: 'c1' }),
    disaster({ summary: 'They said Wreason One.', war_id: 'w1' }),
    put('news_item', {
      id: 'x1',
      title: 'Ttitle One',
      body: 'Tbody One',
      author: 'Tauthor One',
      published_at: day(3),
      nation_ids: ['n1'],
    }),
    put('news_item', { id: 'x2', title: 'Stitle Gone', published_at: day(3) }),
  ],
  [
    // The name contains the words around it in a sentence.
    nation('n1', { nation_name: 'Quellmark Two launched a nuclear missile at me' }),
    nation('n4', { nation_name: 'Third Bystander' }),
    alliance('a1', { name: 'Zephyr Union', tag: '«ZQU»' }),
    member('n1', 'a1', { rank: 'officer' }),
    weapon('strategic_weapon.launched', day(4), 'n4', 'n1'),
    put('conflict', {
      id: 'c1',
      sides: [
        { name: 'Zephyr League and friends', alliances: [{ alliance_id: 'a1' }, { alliance_id: 'a3' }] },
        { name: 'Others', alliances: [{ alliance_id: 'a2' }] },
        { name: 'The foes of Zephyr League', alliances: [] },
      ],
    }),
    put('conflict', { id: 'c1', ended_at: day(5) }),
    put('era', {
      id: 'e1',
      status: 'ended',
      ended_at: day(6),
      champion: { alliance_id: 'a1', name: 'Zephyr Union' },
    }),
  ],
  [
    nation('n1', { nation_name: 'Quellmark Last' }),
    remove('nation', 'n3'),
    remove('alliance', 'a3'),
    remove('treaty', 't1'),
    put('treaty', { id: 't3', ended_at: day(7) }),
    remove('alliance_member', 'n1'),
    put('war', { id: 'w1', status: 'ended', ended_at: day(7) }),
    remove('war', 'w4'),
    remove('news_item', 'x2'),
  ],
  // Facts after a deletion take the names from tombstones.
  [
    war('w5', 'n3', 'n1', { declared_at: day(8), ended_at: day(9) }),
    put('treaty', { id: 't5', nation_ids: ['n3', 'n1'], type: 'non_aggression', ended_at: day(9) }),
    put('treaty', { id: 't6', alliance_ids: ['a3', 'a1'], type: 'non_aggression', ended_at: day(9) }),
    member('n1', 'a1'),
  ],
]

const redact = (resource: string, id: string, data: object): Fact => ({ op: 'redact', resource, id, data })

export const redactions: Fact[] = [
  redact('nation', 'n1', {
    nation_name: 'Former nation',
    leader_name: 'Former leader',
    motto: null,
    flag_url: null,
    attributes: { languages: ['Former tongue', 'Tidewater'] },
  }),
  redact('nation', 'n3', { nation_name: 'Former nation 3' }),
  redact('alliance', 'a1', {
    name: 'Former alliance',
    tag: 'FA',
    description: null,
    flag_url: null,
    attributes: { headquarters: null },
  }),
  redact('alliance', 'a3', { name: 'Former alliance 3', tag: 'F3' }),
  redact('war', 'w1', { reason: null }),
  redact('war', 'w4', { reason: 'Unsaid' }),
  redact('conflict', 'c1', { name: 'Former conflict', cause: null }),
  redact('era', 'e1', { name: 'Former era', summary: null }),
  redact('news_item', 'x1', { title: 'Former news', body: '', author: null }),
  redact('news_item', 'x2', { title: 'Former news 2' }),
]
