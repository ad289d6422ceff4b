import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { littleDocument } from './small-document.ts'

/** What a server sends. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** Undefined for none. */
  body: Record<string, unknown> | undefined
}

/** What is asked, as the little server reads it. */
export interface Asked {
  method: string
  path: string
  query: URLSearchParams
  key: string | undefined
}

/** Spoils a right answer. */
export type Fault = (answer: Answer, asked: Asked) => Answer

const total = 30
const things = Array.from({ length: total }, (_, index) => ({
  id: `t${index}`,
  size: index % 7 === 0 ? null : index,
  price: index / 4,
  made_at: '2026-05-20T10:00:00Z',
}))
const allow = 'GET, HEAD, OPTIONS'

/** Serves what the little document says; with a fault, nearly. */
export async function startLittleServer(fault: Fault = answer => answer) {
  const server = createServer({ maxHeaderSize: 65_536 }, (req, res) => {
    req.resume()
    if (req.url === '/openapi.json') return void res.end(JSON.stringify(littleDocument))
    const asked = read(req)
    send(res, asked, fault(rightAnswer(asked, req.headers['if-none-match']), asked))
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

function read({ method = '', url = '', headers }: IncomingMessage): Asked {
  const [path = '', ...rest] = url.split('?')
  return { method, path, query: new URLSearchParams(rest.join('?')), key: headers.authorization }
}

function send(res: ServerResponse, { method }: Asked, { status, headers, body }: Answer): void {
  const id = 'req_1'
  const text = body && JSON.stringify(body)
  res.writeHead(status, {
    'x-request-id': id,
    'x-left': '3',
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }),
    ...headers,
  })
  res.end(method === 'HEAD' ? undefined : text)
}

const refusal = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: { error: { code: 'refused', message: 'No.', request_id: 'req_1' } },
})

/** The keys of the test: `all` may read everything, `none` lacks the scope. */
function rightAnswer({ method, path, query, key }: Asked, knownTag: string | undefined): Answer {
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: undefined }
  if (method !== 'GET' && method !== 'HEAD') return refusal(405, { allow })
  if (key !== undefined && !/^Bearer (all|none)$/.test(key)) return refusal(401)
  const [, base, name, rawId, ...rest] = path.split('/')
  if (!['one', 'two'].includes(base ?? '') || rest.length > 0) return refusal(404)
  if (name === 'mine' && rawId === undefined) {
    if (key === undefined) return refusal(401)
    return key === 'Bearer none' ? refusal(403) : { status: 200, headers: {}, body: things[0] }
  }
  if (name !== 'things') return refusal(404)
  const body = rawId === undefined ? listed(query) : one(rawId)
  if (body === undefined) return refusal(rawId === undefined ? 400 : 404)
  const etag = `"${createHash('sha1').update(JSON.stringify(body)).digest('base64url')}"`
  return knownTag?.includes(etag)
    ? { status: 304, headers: { etag }, body: undefined }
    : { status: 200, headers: { etag }, body }
}

function one(rawId: string) {
  try {
    const thing = things.find(({ id }) => id === decodeURIComponent(rawId))
    return thing && { data: thing }
  } catch {
    return undefined
  }
}

function listed(query: URLSearchParams) {
  const names = ['page', 'limit', 'kind']
  if (names.some(name => query.getAll(name).length > 1)) return undefined
  if ([...query.keys()].some(name => /^page(\[\])?$/i.test(name) && name !== 'page')) return undefined
  const texts = [...query].flatMap(([name, text]) => (/^names(\[0?\])?$/.test(name) ? text.split(',') : []))
  if (texts.length > 20 || texts.some(text => !/^[A-Za-z0-9_-]*$/.test(text.trim()))) return undefined
  const [page, limit] = [query.get('page') ?? '1', query.get('limit') ?? '25']
  const kind = query.get('kind') ?? 'big'
  const isRight =
    /^\d+$/.test(page) && /^\d+$/.test(limit) && Number(page) >= 1 && ['big', 'small'].includes(kind)
  const size = Number(limit)
  if (!isRight || size < 1 || size > 100) return undefined
  const first = (Number(page) - 1) * size
  return {
    data: first < total ? things.slice(first, first + size) : [],
    pagination: {
      page: Math.min(Number(page), Number.MAX_SAFE_INTEGER),
      limit: size,
      total,
      pages: Math.ceil(total / size),
    },
  }
}
