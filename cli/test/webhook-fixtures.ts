import { operatorOperations } from '@chancery/contract'
import { exampleItem } from './stub-api.ts'

export const endpoint = {
  ...exampleItem(operatorOperations.webhooksList),
  id: 'whe_1',
  types: null,
  nation_ids: null,
}

const { id, ...rest } = endpoint
/** The form with the secret, which is shown once. */
export const withSecret = { id, secret: 'whsec_c2VjcmV0', ...rest }

export const arrived = { has_arrived: true, status: 204, error: null, answer: '', latency_ms: 35 }
export const missed = { has_arrived: false, status: 404, error: null, answer: 'Not Found', latency_ms: 12 }

/** A hostile response: it clears the screen, sets the title, and reverses the line. */
export const hostile = '\n\u001b[2J\u001b]0;mine\u0007\u009b31m\u202eowned\u2028\r\nsecond line'

/** Characters that control a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const controlCharacters = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/
