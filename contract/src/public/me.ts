import { itemOperation } from './operation.ts'
import { accountParam, enumListParam, pathTextParam } from './parameters.ts'

export const meNation = itemOperation('nation', {
  id: 'me.nation',
  path: '/me/nation',
  tag: 'Own nation',
  summary: 'Read the own nation',
  description:
    'The nation that the key’s player leads now: its public fields, and every private section that the key’s scopes open. `include` demands sections: where the key lacks the scope of one, the call fails instead of leaving it out.',
  scope: 'nation.read',
  cache: 'private',
  view: 'owner',
  parameters: {
    include: enumListParam(
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

export const meKey = itemOperation('key', {
  id: 'me.key',
  path: '/me/key',
  tag: 'Own nation',
  summary: 'Read what this key is',
  description: 'The key of this call: its name, scopes, limit and what is left of it, expiry and last use.',
  scope: 'key',
  cache: 'private',
  parameters: {},
})

export const discordVerify = itemOperation('verified_identity', {
  id: 'discord.verify',
  path: '/discord/verify/{code}',
  tag: 'Verification',
  summary: 'Redeem a verification code',
  description:
    'Redeems a code that a player made in the developer settings, and says which nation is theirs. A code works once, within 10 minutes; every call that names a live code uses it up.',
  scope: 'none',
  cache: 'private',
  allowsHead: false,
  parameters: {
    code: pathTextParam('The code: 10 characters, in upper or lower case.', 'K7PWM3XQ9T'),
    for: accountParam(
      'The chat account that sent the code. Needed where the code is bound to one; a bound code answers anybody else as an unknown one.',
    ),
  },
  errors: ['verification_code_unknown', 'verification_code_expired', 'verification_code_used'],
})
