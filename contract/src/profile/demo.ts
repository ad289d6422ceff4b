import type { Profile } from './profile.ts'

const labelled = (terms: Record<string, string>) =>
  Object.entries(terms).map(([key, label]) => ({ key, label }))

const unit = (key: string, label: string, kind: 'field' | 'covert' | 'strategic' = 'field') => ({
  key,
  label,
  is_strategic: kind === 'strategic',
  shows_in_losses: kind === 'field',
})

/** The profile of the demo game, and the default of a server without a configured profile. */
export const demoProfile: Profile = {
  name: 'Meridian',
  url: null,
  currency: { key: 'credits', label: 'Credits' },
  units: [
    unit('soldiers', 'Soldiers'),
    unit('tanks', 'Tanks'),
    unit('artillery', 'Artillery'),
    unit('aircraft', 'Aircraft'),
    unit('ships', 'Ships'),
    unit('spies', 'Spies', 'covert'),
    unit('ballistic_missile', 'Ballistic missile', 'strategic'),
    unit('nuclear_missile', 'Nuclear missile', 'strategic'),
  ],
  resources: labelled({
    food: 'Food',
    timber: 'Timber',
    coal: 'Coal',
    oil: 'Oil',
    iron: 'Iron',
    steel: 'Steel',
    electronics: 'Electronics',
    uranium: 'Uranium',
  }),
  ranks: [
    { key: 'leader', label: 'Chancellor', tier: 'leader' },
    { key: 'officer', label: 'Minister', tier: 'officer' },
    { key: 'member', label: 'Member', tier: 'member' },
    { key: 'recruit', label: 'Recruit', tier: 'member' },
  ],
  nation_statuses: [{ key: 'banned', label: 'Banned', is: 'inactive' }],
  governments: labelled({
    republic: 'Republic',
    federation: 'Federation',
    constitutional_monarchy: 'Constitutional monarchy',
    absolute_monarchy: 'Absolute monarchy',
    military_junta: 'Military junta',
    theocracy: 'Theocracy',
    technocracy: 'Technocracy',
    commune: 'Commune',
  }),
  continents: labelled({
    borea: 'Borea',
    meridia: 'Meridia',
    orienta: 'Orienta',
    occida: 'Occida',
    austra: 'Austra',
    insula: 'The Isles',
  }),
  war_types: labelled({
    conquest: 'Conquest',
    raid: 'Raid',
    attrition: 'Attrition',
    liberation: 'Liberation',
  }),
  war_outcomes: [{ key: 'white_peace', label: 'White peace', is: 'peace' }],
  battle_kinds: labelled({
    ground: 'Ground assault',
    air: 'Air strike',
    naval: 'Naval engagement',
    siege: 'Siege',
  }),
  treaty_types: labelled({
    mutual_defense: 'Mutual defence',
    optional_defense: 'Optional defence',
    non_aggression: 'Non-aggression',
    protectorate: 'Protectorate',
  }),
  news_categories: labelled({ war: 'War', diplomacy: 'Diplomacy', economy: 'Economy', world: 'World' }),
  pages: { nation: null, alliance: null, war: null },
  event_kinds: [
    {
      type: 'game.disaster',
      description: 'A natural disaster struck a nation.',
      data: {
        disaster: {
          type: 'string',
          description: 'What struck: earthquake, flood, drought, storm or epidemic.',
        },
        nation_id: { type: 'string', description: 'The nation that was struck.' },
        severity: { type: 'integer', description: 'From 1 (slight) to 5 (catastrophic).' },
      },
    },
  ],
  attributes: {
    nation: [
      {
        key: 'literacy_percent',
        type: 'number',
        description: 'Share of the people who can read and write.',
        class: 'public',
        unit: 'percent',
        example: 93.5,
      },
      {
        key: 'prestige',
        type: 'integer',
        description: 'Renown, from its age and the wars it has won.',
        class: 'public',
        unit: 'points',
        ranked: true,
        example: 340,
      },
      {
        key: 'languages',
        type: 'strings',
        description: 'The languages of its people, the most spoken first.',
        class: 'public',
        example: ['Borean', 'Harbour', 'Tidewater', 'Old Occidan', 'Hill Orientan'],
      },
      {
        key: 'war_weariness',
        type: 'integer',
        description: 'How tired of war the people are, from 0 to 100.',
        class: 'player_private',
        scope: 'military.read',
        unit: 'points',
        example: 12,
      },
    ],
    alliance: [
      {
        key: 'headquarters',
        type: 'string',
        description: 'The city in which the alliance meets.',
        class: 'public',
        example: 'Port Verity',
      },
    ],
  },
}
