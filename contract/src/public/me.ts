import { itemOperation } from './operation.ts'
import { accountParam, enumListParam, pathTextParam } from './parameters.ts'

export const playerOperations = {
  meNation: itemOperation('nation', {
    id: 'me.nation',
    path: '/me/nation',
    tag: 'Own nation',
    summary: 'Read your own nation',
    description:
      'The nation that the key’s player leads at present: its public fields, and every private section that the key’s scopes grant. `include` makes sections required: if the key lacks the scope of one, the request fails instead of omitting the section.',
    scope: 'nation.read',
    cache: 'private',
    view: 'owner',
    parameters: {
      include: enumListParam(
        ['military', 'economy', 'production', 'assignments'],
        'Sections that the response must contain: military, economy, production, assignments.',
      ),
    },
    includeScopes: {
      military: 'military.read',
      economy: 'economy.read',
      production: 'production.read',
      assignments: 'alliance.read',
    },
    errors: ['not_found'],
  }),

  meKey: itemOperation('key', {
    id: 'me.key',
    path: '/me/key',
    tag: 'Own nation',
    summary: 'Read this key',
    description:
      'The key of this request: its name, scopes, rate limit and remaining calls, expiry and last use.',
    scope: 'key',
    cache: 'private',
    parameters: {},
  }),

  discordVerify: itemOperation('verified_identity', {
    id: 'discord.verify',
    path: '/discord/verify/{code}',
    tag: 'Verification',
    summary: 'Redeem a verification code',
    description:
      'Redeems a code that a player created in the developer settings, and returns the player’s nation. A code works once, within 10 minutes; every request with a valid code redeems it.',
    scope: 'none',
    cache: 'private',
    allowsHead: false,
    parameters: {
      code: pathTextParam(
        'The code: 10 characters, in upper or lower case. Blanks and dashes in it are ignored.',
        'K7PWM3XQ9T',
      ),
      for: accountParam(
        'The chat account that sent the code. Required if the code is bound to an account; for any other account, a bound code is reported as unknown.',
        '80351110224678912',
      ),
    },
    errors: ['verification_code_unknown', 'verification_code_expired', 'verification_code_used'],
  }),
}
