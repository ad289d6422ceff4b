import { account, pathText } from '../parameters.ts'
import { oneOperation } from './operation.ts'

export const discordVerify = oneOperation('verified_identity', {
  id: 'discord.verify',
  path: '/discord/verify/{code}',
  tag: 'Verification',
  summary: 'Redeem a verification code',
  description:
    'Redeems a code that a player made in the developer settings, and says which nation is theirs. A code works once, within 10 minutes; every call that names a live code uses it up.',
  scope: 'none',
  body: 'personal',
  allowsHead: false,
  parameters: {
    code: pathText('The code: 10 characters, in upper or lower case.', 'K7PWM3XQ9T'),
    for: account(
      'The chat account that sent the code. Needed where the code is bound to one; a bound code answers anybody else as an unknown one.',
    ),
  },
  errors: ['verification_code_unknown', 'verification_code_expired', 'verification_code_used'],
})
