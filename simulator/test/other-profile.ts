import { demoProfile, type Profile } from '@chancery/contract'

const words = (...keys: string[]) => keys.map(key => ({ key, label: key }))

/** A game with hardly a word in common with the demo’s. */
export const otherProfile: Profile = {
  ...demoProfile,
  name: 'Old Marches',
  currency: { key: 'florins', label: 'Florins' },
  units: [
    { key: 'pikemen', label: 'Pikemen', is_strategic: false, shows_in_losses: true },
    { key: 'galleons', label: 'Galleons', is_strategic: false, shows_in_losses: true },
    { key: 'oddities', label: 'Oddities', is_strategic: false, shows_in_losses: true },
    { key: 'informers', label: 'Informers', is_strategic: false, shows_in_losses: false },
    { key: 'great_bombard', label: 'Great bombard', is_strategic: true, shows_in_losses: false },
  ],
  resources: words('salt', 'wool', 'silver'),
  ranks: [
    { key: 'doge', label: 'Doge', tier: 'leader' },
    { key: 'councillor', label: 'Councillor', tier: 'officer' },
    { key: 'citizen', label: 'Citizen', tier: 'member' },
  ],
  governments: words('merchant_city', 'bishopric'),
  continents: words('marches', 'lowlands'),
  war_types: words('feud', 'crusade'),
  battle_kinds: words('field', 'sea_fight'),
  treaty_types: words('marriage', 'league'),
  news_categories: words('court', 'market'),
  event_kinds: [],
  attributes: {
    nation: [
      { key: 'piety', type: 'integer', description: 'Piety.', class: 'public', example: 40 },
      { key: 'is_crowned', type: 'boolean', description: 'Crowned.', class: 'public', example: true },
      {
        key: 'crowned_at',
        type: 'time',
        description: 'When.',
        class: 'player_private',
        scope: 'nation.read',
        example: '2026-01-01T00:00:00Z',
      },
    ],
    alliance: [],
  },
}
