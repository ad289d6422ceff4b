import Type from 'typebox'
import { limits } from '../limits.ts'
import { count, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

const keyId = nullable(text(64, { description: 'The key that called; null where none did.' }))
const keyName = nullable(text(100, { description: 'What its owner calls it; null for an unknown key.' }))
const playerId = nullable(text(64, { description: 'Whose key it is; null for an unknown key.' }))

const call = named(
  'Call',
  strictObject(
    {
      request_id: text(64, { description: 'The id that the answer carried.' }),
      at: time({ description: 'When it was answered.' }),
      operation: text(64, { description: 'What was asked.' }),
      status: Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of the answer.' }),
      duration_ms: Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.' }),
      key_id: keyId,
      key_name: keyName,
      player_id: playerId,
      address: nullable(
        text(64, { description: 'From where, an IPv4 address or IPv6 /64; null where a key called.' }),
      ),
    },
    { description: 'A call to the public API.' },
  ),
)

export const requestsGet = operatorOperation({
  id: 'requests.get',
  method: 'GET',
  path: '/requests/{id}',
  tag: 'Calls',
  roles: [],
  summary: 'Find a call by its request id',
  description: `What became of a call to the public API. The journal goes back ${limits.requestLogDays} days for calls with a key and 48 hours for others.`,
  pathParameter: {
    name: 'id',
    description: 'The x-request-id of the answer.',
    example: 'req_8f2c61d09ab37e45',
  },
  responses: {
    200: jsonResponse(
      'The calls of this id, newest first: as a rule one, more where a proxy gave the same id twice.',
      strictObject({ data: listOf(call, { maxItems: 100 }) }),
      {
        data: [
          {
            request_id: 'req_8f2c61d09ab37e45',
            at: '2026-05-27T18:00:00.482Z',
            operation: 'nations.get',
            status: 200,
            duration_ms: 1.7,
            key_id: 'key_4fZk81QzL0w',
            key_name: 'my bot',
            player_id: 'p42',
            address: null,
          },
        ],
      },
    ),
  },
  errors: ['not_found'],
})

const top = (hoursMax: number) =>
  strictObject({
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 9999,
        description: `Clock hours to look back, the current one included. Default 24; more than ${hoursMax} are as many as ${hoursMax}.`,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 9999, description: 'How many to list. Default 20.' }),
    ),
  })

const counted = {
  calls: count({ description: 'Calls.' }),
  limited: count({ description: 'Of them refused because a limit was used up (429).' }),
}

export const usageKeys = operatorOperation({
  id: 'usage.keys',
  method: 'GET',
  path: '/usage/keys',
  tag: 'Calls',
  roles: [],
  summary: 'List the keys that call most',
  description: 'Keys by their calls in the last clock hours, most calls first.',
  query: top(limits.requestLogDays * 24),
  responses: {
    200: listResponse(
      'The keys.',
      named(
        'BusyKey',
        strictObject(
          {
            key_id: text(64, { description: 'The key.' }),
            name: keyName,
            player_id: playerId,
            ...counted,
            refused: count({ description: 'Of them refused for want of a scope or an entitlement (403).' }),
            deprecated: count({
              description: 'Of them answered with parts that will go (Deprecation header).',
            }),
            redemptions: count({ description: 'Verification codes redeemed.' }),
          },
          { description: 'How much a key calls.' },
        ),
      ),
      {
        key_id: 'key_4fZk81QzL0w',
        name: 'my bot',
        player_id: 'p42',
        calls: 28_114,
        limited: 12,
        refused: 0,
        deprecated: 0,
        redemptions: 3,
      },
    ),
  },
})

export const usageAddresses = operatorOperation({
  id: 'usage.addresses',
  method: 'GET',
  path: '/usage/addresses',
  tag: 'Calls',
  roles: [],
  summary: 'List the addresses that call most',
  description: 'Addresses by their calls without a valid key in the last clock hours, most calls first.',
  query: top(47),
  responses: {
    200: listResponse(
      'The addresses.',
      named(
        'BusyAddress',
        strictObject(
          {
            address: text(64, {
              description: 'An IPv4 address, an IPv6 /64, or `other` for all beyond as many as are counted.',
            }),
            ...counted,
            refused: count({ description: 'Of them refused because the key is none (401).' }),
          },
          { description: 'How much an address calls.' },
        ),
      ),
      { address: '203.0.113.9', calls: 4_402, limited: 371, refused: 0 },
    ),
  },
})
