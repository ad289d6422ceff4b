import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RawDocument } from '../../acceptance/src/fuzz/document.ts'

const header = (schema: object) => ({ required: true, schema })
const headers = {
  'x-request-id': header({ type: 'string' }),
  'x-left': header({ type: 'integer', minimum: 0 }),
}
const etagHeaders = { ...headers, etag: { schema: { type: 'string' } } }
const text = { type: 'string' }
const objectOf = (properties: object) => ({ type: 'object', required: Object.keys(properties), properties })
const schemas = {
  Item: objectOf({
    id: { type: 'string', pattern: '^t[0-9]+$' },
    size: { type: ['integer', 'null'], minimum: 0 },
    price: { type: 'number', 'x-decimals': 2 },
    made_at: { type: 'string', format: 'date-time' },
  }),
  Error: objectOf({ error: objectOf({ code: text, message: { ...text, minLength: 1 }, request_id: text }) }),
  Page: objectOf(
    Object.fromEntries(
      ['page', 'limit', 'total', 'pages'].map(name => [name, { type: 'integer', minimum: 0 }]),
    ),
  ),
}
const ref = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const error = { headers, content: json(ref('Error')) }
const errors = { 400: error, 401: error, default: error }
const cached = (properties: object) => ({
  200: { headers: etagHeaders, content: json(objectOf(properties)) },
  304: { headers: etagHeaders },
})
const query = (name: string, schema: object) => ({ name, in: 'query', schema })
const isPublic = { security: [{}, { bearer: [] }] }
const namesMax = 20
const names = { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9_-]*$' }, maxItems: namesMax }

/** The OpenAPI document of the small server. */
const smallDocument = {
  openapi: '3.1.0',
  servers: [{ url: '/one' }, { url: '/two' }],
  paths: {
    '/items': {
      get: {
        operationId: 'items.list',
        ...isPublic,
        parameters: [
          query('page', { type: 'integer', minimum: 1 }),
          query('limit', { type: 'integer', minimum: 1, maximum: 100 }),
          query('kind', { type: 'string', enum: ['big', 'small'] }),
          query('names', names),
        ],
        responses: {
          ...cached({ data: { type: 'array', items: ref('Item') }, pagination: ref('Page') }),
          ...errors,
        },
      },
    },
    '/items/{id}': {
      get: {
        operationId: 'items.get',
        ...isPublic,
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        responses: { ...cached({ data: ref('Item') }), 404: error, ...errors },
      },
    },
    '/mine': {
      get: {
        operationId: 'mine.get',
        security: [{ bearer: [] }],
        'x-scope': 'mine.read',
        parameters: [],
        responses: { 200: { headers, content: json(ref('Item')) }, 403: error, ...errors },
      },
    },
  },
  components: { schemas },
} as unknown as RawDocument

export interface SmallResponse {
  status: number
  headers: Record<string, string>
  body?: Record<string, unknown>
}

export interface SmallRequest {
  method: string
  path: string
  query: URLSearchParams
  key: string | undefined
}

/** Changes a correct response. */
export type Fault = (response: SmallResponse, request: SmallRequest) => SmallResponse

const total = 30
const items = Array.from({ length: total }, (_, index) => ({
  id: `t${index}`,
  size: index % 7 === 0 ? null : index,
  price: index / 4,
  made_at: '2026-05-20T10:00:00Z',
}))

/** A server that does what its document promises, except for the fault. */
export async function startSmallServer(fault: Fault = response => response) {
  const server = createServer({ maxHeaderSize: 65_536 }, (req, res) => {
    req.resume()
    if (req.url === '/openapi.json') return void res.end(JSON.stringify(smallDocument))
    const request = read(req)
    const { status, headers, body } = fault(respond(request, req.headers['if-none-match']), request)
    const text = body && JSON.stringify(body)
    const content = text && {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    }
    res.writeHead(status, { 'x-request-id': 'req_1', 'x-left': '3', ...content, ...headers })
    res.end(request.method === 'HEAD' ? undefined : text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

function read({ method = '', url = '', headers }: IncomingMessage): SmallRequest {
  const [path = '', ...rest] = url.split('?')
  return { method, path, query: new URLSearchParams(rest.join('?')), key: headers.authorization }
}

export const success = (body: object): SmallResponse => ({ status: 200, headers: {}, body: { ...body } })
export const rejection = (status: number, headers: Record<string, string> = {}): SmallResponse => ({
  status,
  headers,
  body: { error: { code: 'rejected', message: 'No.', request_id: 'req_1' } },
})

/** The key `all` may read everything, `none` lacks the scope. */
function respond(
  { method, path, query, key }: SmallRequest,
  etagOfClient: string | undefined,
): SmallResponse {
  const allow = 'GET, HEAD, OPTIONS'
  if (method === 'OPTIONS') return { status: 204, headers: { allow } }
  if (method !== 'GET' && method !== 'HEAD') return rejection(405, { allow })
  if (key !== undefined && !/^Bearer (all|none)$/.test(key)) return rejection(401)
  const [, base, name, id, ...rest] = path.split('/')
  if (!['one', 'two'].includes(base ?? '') || rest.length > 0) return rejection(404)
  if (name === 'mine' && id === undefined) {
    if (key === undefined) return rejection(401)
    return key === 'Bearer none' ? rejection(403) : success(items[0] ?? {})
  }
  if (name !== 'items') return rejection(404)
  const body = id === undefined ? list(query) : find(id)
  if (body === undefined) return rejection(id === undefined ? 400 : 404)
  const etag = `"${createHash('sha1').update(JSON.stringify(body)).digest('base64url')}"`
  return etagOfClient?.includes(etag)
    ? { status: 304, headers: { etag } }
    : { status: 200, headers: { etag }, body }
}

function find(id: string) {
  try {
    const item = items.find(item => item.id === decodeURIComponent(id))
    return item && { data: item }
  } catch {
    return undefined
  }
}

/** Undefined for invalid parameters. */
function list(query: URLSearchParams) {
  if (['page', 'limit', 'kind'].some(name => query.getAll(name).length > 1)) return undefined
  if ([...query.keys()].some(name => /^page(\[\])?$/i.test(name) && name !== 'page')) return undefined
  const texts = [...query].flatMap(([name, text]) => (/^names(\[0?\])?$/.test(name) ? text.split(',') : []))
  if (texts.length > namesMax || texts.some(text => !/^[A-Za-z0-9_-]*$/.test(text.trim()))) return undefined
  if (!['big', 'small'].includes(query.get('kind') ?? 'big')) return undefined
  const [page, limit] = [query.get('page') ?? '1', query.get('limit') ?? '25']
  if (!/^\d+$/.test(page) || !/^\d+$/.test(limit) || Number(page) < 1) return undefined
  const size = Number(limit)
  if (size < 1 || size > 100) return undefined
  const first = (Number(page) - 1) * size
  return {
    data: first < total ? items.slice(first, first + size) : [],
    pagination: {
      page: Math.min(Number(page), Number.MAX_SAFE_INTEGER),
      limit: size,
      total,
      pages: Math.ceil(total / size),
    },
  }
}
