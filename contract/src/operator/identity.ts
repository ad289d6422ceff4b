import Type from 'typebox'
import { landings } from '../account/session.ts'
import { limits } from '../limits.ts'
import { enumOf, id, patternString, strictObject, time } from '../shared-schemas.ts'
import { jsonResponse, operatorOperation } from './operation.ts'
import { playerMembers } from './player-selector.ts'

export const codesIssue = operatorOperation({
  id: 'codes.issue',
  method: 'POST',
  path: '/codes',
  tag: 'Identity',
  roles: ['identity'],
  summary: 'Create a verification code',
  description: `A code with which a player proves on a chat platform which nation is theirs. It can be redeemed once, within ${limits.codeLifetimeSeconds / 60} minutes. A nation has at most ${limits.codesActivePerNation} valid codes.`,
  body: {
    schema: strictObject({
      nation_id: id({ description: 'The nation that the code proves.' }),
      for: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'The only chat account that may redeem it. Default: any.',
        }),
      ),
    }),
    examples: { Code: { nation_id: 'n42' }, Bound: { nation_id: 'n42', for: '80351110224678912' } },
  },
  responses: {
    201: jsonResponse(
      'The code. It is returned only once.',
      strictObject({
        code: patternString(
          `^[${limits.codeAlphabet}]{${limits.codeLength}}$`,
          `must be ${limits.codeLength} of the characters ${limits.codeAlphabet}`,
          { description: 'The code.' },
        ),
        expires_at: time({ description: 'When it expires.' }),
      }),
      { code: 'K7PWM3XQ9T', expires_at: '2026-05-27T18:10:00Z' },
    ),
  },
  errors: ['not_found'],
})

export const handoversCreate = operatorOperation({
  id: 'handovers.create',
  method: 'POST',
  path: '/handovers',
  tag: 'Identity',
  roles: ['identity'],
  summary: 'Create a handover link',
  description: `A link that signs a player in to the developer settings. Request it when the player, signed in to the game, opens the settings, and redirect the browser to it. It works once, within ${limits.handoverLifetimeSeconds} seconds.`,
  body: {
    schema: strictObject({
      ...playerMembers,
      landing: Type.Optional(enumOf(landings, { description: 'The first page. Default: verify.' })),
    }),
    examples: { Link: { nation_id: 'n42' }, Keys: { player_id: 'p42', landing: 'keys' } },
  },
  responses: {
    201: jsonResponse(
      'The link. It is returned only once.',
      strictObject({
        url: Type.String({
          format: 'uri',
          description: 'Where to send the browser. Its fragment is secret.',
        }),
        expires_at: time({ description: 'When it expires.' }),
      }),
      {
        url: 'https://api.game.example/developers/#handover=TOKEN',
        expires_at: '2026-05-27T18:01:00Z',
      },
    ),
  },
  errors: ['not_found'],
})
