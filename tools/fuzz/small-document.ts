import type { RawDocument } from '../../acceptance/src/fuzz/document.ts'

const header = (schema: object) => ({ required: true, schema })
const everywhere = {
  'x-request-id': header({ type: 'string' }),
  'x-left': header({ type: 'integer', minimum: 0 }),
}
const json = (schema: object) => ({ 'application/json': { schema } })
const schemas = {
  Thing: {
    type: 'object',
    required: ['id', 'size', 'price', 'made_at'],
    properties: {
      id: { type: 'string', pattern: '^t[0-9]+$' },
      size: { type: ['integer', 'null'], minimum: 0 },
      price: { type: 'number', 'x-decimals': 2 },
      made_at: { type: 'string', format: 'date-time' },
    },
  },
  Error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'request_id'],
        properties: {
          code: { type: 'string' },
          message: { type: 'string', minLength: 1 },
          request_id: { type: 'string' },
        },
      },
    },
  },
  Page: {
    type: 'object',
    required: ['page', 'limit', 'total', 'pages'],
    properties: Object.fromEntries(
      ['page', 'limit', 'total', 'pages'].map(name => [name, { type: 'integer', minimum: 0 }]),
    ),
  },
}
const thing = { $ref: '#/components/schemas/Thing' }
const error = { headers: everywhere, content: json({ $ref: '#/components/schemas/Error' }) }
const tagged = { ...everywhere, etag: { schema: { type: 'string' } } }
const found = (members: object) => ({
  headers: tagged,
  content: json({ type: 'object', required: Object.keys(members), properties: members }),
})
const errors = { 400: error, 401: error, default: error }
const parameter = (name: string, schema: object) => ({ name, in: 'query', schema })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

/** The document of a server so little that one can see whether a fuzzer is right about it. */
export const littleDocument = {
  openapi: '3.1.0',
  servers: [{ url: '/one' }, { url: '/two' }],
  paths: {
    '/things': {
      get: {
        operationId: 'things.list',
        security: [{}, { bearer: [] }],
        parameters: [
          parameter('page', { type: 'integer', minimum: 1 }),
          parameter('limit', { type: 'integer', minimum: 1, maximum: 100 }),
          parameter('kind', { type: 'string', enum: ['big', 'small'] }),
          parameter('names', {
            type: 'array',
            items: { type: 'string', pattern: '^[A-Za-z0-9_-]*$' },
            maxItems: 20,
          }),
        ],
        responses: {
          200: found({
            data: { type: 'array', items: thing },
            pagination: { $ref: '#/components/schemas/Page' },
          }),
          304: { headers: tagged },
          ...errors,
        },
      },
    },
    '/things/{id}': {
      get: {
        operationId: 'things.get',
        security: [{}, { bearer: [] }],
        parameters: [id],
        responses: { 200: found({ data: thing }), 304: { headers: tagged }, 404: error, ...errors },
      },
    },
    '/mine': {
      get: {
        operationId: 'mine.get',
        security: [{ bearer: [] }],
        'x-scope': 'mine.read',
        parameters: [],
        responses: { 200: { headers: everywhere, content: json(thing) }, 403: error, ...errors },
      },
    },
  },
  components: { schemas },
} as unknown as RawDocument
