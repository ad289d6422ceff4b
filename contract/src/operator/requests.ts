import Type from 'typebox'
import { limits } from '../limits.ts'
import { count, listOf, nullable, strictObject, text, time } from '../shared-schemas.ts'
import { jsonResponse, listResponse, named, operatorOperation } from './operation.ts'

const keyId = nullable(text(64, { description: 'The key of the request; null without a key.' }))
const keyName = nullable(text(100, { description: 'Its name; null for an unknown key.' }))
const playerId = nullable(text(64, { description: 'The player who owns the key; null for an unknown key.' }))

export const call = named(
  'Call',
  strictObject(
    {
      request_id: text(64, { description: 'The id in the response.' }),
      at: time({ description: 'When the response was sent.' }),
      operation: text(64, { description: 'The operation.' }),
      status: Type.Integer({ minimum: 100, maximum: 599, description: 'The HTTP status of the response.' }),
      duration_ms: Type.Number({ minimum: 0, description: 'Duration in milliseconds.' }),
      error_code: nullable(
        text(64, { description: 'The error code of the response; null without an error.' }),
      ),
      error_parameter: nullable(
        text(64, {
          description:
            'The parameter that the error is about, followed by `?` if its name was misspelled; null for none.',
        }),
      ),
      key_id: keyId,
      key_name: keyName,
      player_id: playerId,
      address: nullable(
        text(64, { description: 'The IPv4 address or IPv6 /64 of the caller; null with a key.' }),
      ),
    },
    { description: 'A request to the public API.' },
  ),
)

export const callExample = {
  request_id: 'req_8f2c61d09ab37e45',
  at: '2026-05-27T18:00:00.482Z',
  operation: 'nations.get',
  status: 200,
  duration_ms: 1.7,
  error_code: null,
  error_parameter: null,
  key_id: 'key_4fZk81QzL0w',
  key_name: 'my bot',
  player_id: 'p42',
  address: null,
}

export const requestsGet = operatorOperation({
  id: 'requests.get',
  method: 'GET',
  path: '/requests/{id}',
  tag: 'Calls',
  roles: [],
  summary: 'Find a request by its id',
  description: `A request to the public API, from the request log. Requests with a key are kept for ${limits.requestLogDays} days, others for 48 hours.`,
  pathParameter: {
    name: 'id',
    description: 'The x-request-id of the response.',
    example: 'req_8f2c61d09ab37e45',
  },
  responses: {
    200: jsonResponse(
      'The requests with this id, newest first: usually one, more if a proxy used the same id twice.',
      strictObject({ data: listOf(call, { maxItems: 100 }) }),
      {
        data: [callExample],
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
        description: `Number of clock hours, including the current one. Default 24, at most ${hoursMax}; larger numbers count as ${hoursMax}.`,
        example: 12,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 9999, description: 'Number of entries. Default 20.', example: 50 }),
    ),
  })

const counted = {
  calls: count({ description: 'Calls.' }),
  limited: count({ description: 'Of these, rejected by a rate limit (429).' }),
}

export const usageKeys = operatorOperation({
  id: 'usage.keys',
  method: 'GET',
  path: '/usage/keys',
  tag: 'Calls',
  roles: [],
  summary: 'List the keys with the most calls',
  description: 'Keys by their calls in the last clock hours, most first.',
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
            refused: count({ description: 'Of these, rejected for a missing scope or entitlement (403).' }),
            deprecated: count({
              description: 'Of these, responses with deprecated parts (Deprecation header).',
            }),
            redemptions: count({ description: 'Verification codes redeemed.' }),
          },
          { description: 'The calls of a key.' },
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
  summary: 'List the addresses with the most calls',
  description: 'Addresses by their calls without a valid key in the last clock hours, most first.',
  query: top(47),
  responses: {
    200: listResponse(
      'The addresses.',
      named(
        'BusyAddress',
        strictObject(
          {
            address: text(64, {
              description:
                'An IPv4 address, an IPv6 /64, or `other` for all addresses beyond the number that is counted.',
            }),
            ...counted,
            refused: count({ description: 'Of these, rejected for an invalid key (401).' }),
          },
          { description: 'The calls of an address.' },
        ),
      ),
      { address: '203.0.113.9', calls: 4_402, limited: 371, refused: 0 },
    ),
  },
})
