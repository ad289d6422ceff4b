import Type from 'typebox'
import { limits } from '../limits.ts'
import { nullable, strictObject, text, time, timeOfAnyZone } from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

const limit = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Calls per minute without a key; 0 blocks the addresses.',
})
const note = nullable(text(1000, { description: 'The reason, for operators; null if none was given.' }))
const address = text(64, { description: 'An IPv4 address, an IPv6 /64, or a range of either.' })

const addressLimit = named(
  'AddressLimit',
  strictObject(
    {
      address,
      limit,
      note,
      created_at: time({ description: 'When it was set.' }),
      expires_at: time({ description: 'When it ends.' }),
    },
    { description: 'A limit of the operator for addresses.' },
  ),
)
const example = {
  address: '203.0.113.9',
  limit: 0,
  note: 'guesses codes, see ticket 4712',
  created_at: '2026-05-27T18:00:00Z',
  expires_at: '2026-05-28T18:00:00Z',
}
const pathParameter = {
  name: 'address',
  description:
    'An IPv4 or IPv6 address, or a range such as 203.0.113.0/24, percent-encoded. An IPv6 address stands for its /64.',
  example: example.address,
}

export const addressesList = operatorOperation({
  id: 'addresses.list',
  method: 'GET',
  path: '/addresses',
  tag: 'Calls',
  roles: [],
  summary: 'List the limits of addresses',
  description: 'Limits that operators have set for addresses and that have not ended, by address.',
  responses: { 200: listResponse('The limits.', addressLimit, example) },
})

export const addressesSetLimit = operatorOperation({
  id: 'addresses.set_limit',
  method: 'PUT',
  path: '/addresses/{address}',
  tag: 'Calls',
  roles: [],
  summary: 'Set the limit of addresses',
  description: `Blocks addresses, or gives them another limit than others, for a time of at most ${limits.addressLimitDays} days; effective everywhere within a second. A blocked address gets 429 for every request without a valid key, also for pages; keys work from everywhere. Of several ranges the narrowest applies. At most ${limits.addressLimits} of them.`,
  pathParameter,
  body: {
    schema: strictObject({
      limit,
      expires_at: timeOfAnyZone({ description: 'When it ends.' }),
      note: Type.Optional(note),
    }),
    examples: {
      Block: { limit: 0, expires_at: '2100-05-28T18:00:00Z', note: example.note },
      Allow: { limit: 6000, expires_at: '2100-08-25T18:00:00Z', note: 'our web site' },
    },
  },
  responses: { 200: jsonResponse('The limit.', addressLimit, example) },
})

export const addressesRemoveLimit = operatorOperation({
  id: 'addresses.remove_limit',
  method: 'DELETE',
  path: '/addresses/{address}',
  tag: 'Calls',
  roles: [],
  summary: 'Remove the limit of addresses',
  description: 'The addresses have the limit of all others again.',
  pathParameter,
  responses: { 200: jsonResponse('The limit that was removed.', addressLimit, example) },
  errors: ['not_found'],
})
