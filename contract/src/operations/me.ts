import { words } from '../parameters.ts'
import { oneOperation } from './operation.ts'

export const meNation = oneOperation('nation', {
  id: 'me.nation',
  path: '/me/nation',
  tag: 'Own nation',
  summary: 'Read the own nation',
  description:
    'The nation that the key’s player leads now: its public fields, and every private section that the key’s scopes open. `include` demands sections: where the key lacks the scope of one, the call fails instead of leaving it out.',
  scope: 'nation.read',
  body: 'personal',
  view: 'owner',
  parameters: {
    include: words(
      ['military', 'economy', 'production', 'assignments'],
      'Sections that must be in the answer: military, economy, production, assignments.',
    ),
  },
  includeScopes: {
    military: 'military.read',
    economy: 'economy.read',
    production: 'production.read',
    assignments: 'alliance.read',
  },
  errors: ['not_found'],
})

export const meKey = oneOperation('key', {
  id: 'me.key',
  path: '/me/key',
  tag: 'Own nation',
  summary: 'Read what this key is',
  description: 'The key of this call: its name, scopes, limit and what is left of it, expiry and last use.',
  scope: 'key',
  body: 'personal',
  parameters: {},
})
