import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { itemLists, type ListedResource, listedResources } from '@chancery/contract'
import { startScriptedServer } from './scripted-server.ts'

type Item = Record<string, unknown>
interface Change {
  seq: number
  resource: ListedResource
  id: string
  change: 'put' | 'deleted'
}

/** A service of the lists, changes and snapshots of a small world that the test changes. */
export interface WorldService {
  url: string
  /** Paths below the base with sorted parameters, and those of downloads. */
  requests: string[]
  /** Items by `resource id`, as JSON. */
  items: Map<string, string>
  /** The number of the newest change. */
  readonly seq: number
  /** Changes up to this number are not stored. */
  floor: number
  /** Added to the number of changes that are left. */
  extraTotal: number
  /** Handles a request in another way, if it returns true. */
  intercept: (path: string, res: ServerResponse) => boolean
  put(resource: ListedResource, id: string, more?: Item): void
  remove(resource: ListedResource, id: string): void
  /** Makes a snapshot, and withdraws the one before. */
  snapshot(): void
  /** Changes the bytes of a file of the snapshot. */
  damage(resource: ListedResource, change: (content: Buffer) => Buffer): void
}

export async function startWorldService(t: TestContext): Promise<WorldService> {
  const items = new Map<string, string>()
  const changes = new Map<string, Change>()
  const files = new Map<string, Buffer>()
  const requests: string[] = []
  let manifest: object | undefined
  let seq = 1
  let snapshots = 0

  const log = (resource: ListedResource, id: string, change: Change['change']) => {
    seq += 1
    changes.delete(`${resource} ${id}`)
    changes.set(`${resource} ${id}`, { seq, resource, id, change })
  }
  const send = (res: ServerResponse, status: number, body: string) =>
    res
      .writeHead(status, {
        'content-type': 'application/json',
        'x-ratelimit-limit': '1000000',
        'x-ratelimit-remaining': '999999',
        'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 60),
      })
      .end(body)
  const sendError = (res: ServerResponse, status: number, code: string) =>
    send(res, status, JSON.stringify({ error: { code, message: 'No.', request_id: 'req_1' } }))
  const sendPage = (res: ServerResponse, texts: string[], total = texts.length) => {
    const pagination = { page: 1, limit: 100, total, pages: 1 }
    send(res, 200, `{"data":[${texts.join(',')}],"pagination":${JSON.stringify(pagination)}}`)
  }
  const filesOf = (resource: ListedResource) =>
    [...files.keys()].filter(path => path.includes(`/${resource}.`))

  const { url } = await startScriptedServer(t, (req, res) => {
    const { pathname, searchParams: query } = new URL(req.url ?? '', 'http://service.test')
    const path = pathname.replace(/^\/api\/(public\/)?v1/, '')
    query.sort()
    requests.push(query.size > 0 ? `${path}?${decodeURIComponent(String(query))}` : path)
    if (service.intercept(path, res)) return
    if (path === '/downloads/world/latest.json')
      return manifest ? void send(res, 200, JSON.stringify(manifest)) : sendError(res, 404, 'not_found')
    const content = files.get(path)
    if (content) {
      const headers = { 'content-type': 'application/gzip', 'content-length': content.length }
      return void res.writeHead(200, headers).end(content)
    }
    if (path === '/changes') {
      const after = Number(query.get('after'))
      if (after < service.floor || after > seq) return sendError(res, 410, 'cursor_expired')
      const chosen = query.get('resource')?.split(',')
      const found = [...changes.values()].filter(
        change => change.seq > after && (chosen?.includes(change.resource) ?? true),
      )
      const page = found.slice(0, Number(query.get('limit'))).map(change => JSON.stringify(change))
      return sendPage(res, page, found.length + service.extraTotal)
    }
    for (const resource of listedResources) {
      const { list, parameter } = itemLists[resource]
      if (list.path !== path) continue
      const ids = (query.get(parameter) ?? '').split(',').slice(0, Number(query.get('limit') ?? 25))
      return sendPage(
        res,
        ids.flatMap(id => items.get(`${resource} ${id}`) ?? []),
      )
    }
    sendError(res, 404, 'not_found')
  })

  const service: WorldService = {
    url,
    requests,
    items,
    get seq() {
      return seq
    },
    floor: 1,
    extraTotal: 0,
    intercept: () => false,
    put(resource, id, more = {}) {
      items.set(`${resource} ${id}`, JSON.stringify({ [itemLists[resource].key]: id, ...more }))
      log(resource, id, 'put')
    },
    remove(resource, id) {
      items.delete(`${resource} ${id}`)
      log(resource, id, 'deleted')
    },
    snapshot() {
      snapshots += 1
      files.clear()
      const listed = [...listedResources, 'event', 'later_resource'].map(resource => {
        const lines = [...items]
          .filter(([key]) => key.startsWith(`${resource} `))
          .map(([, json]) => `${json}\n`)
        const content = gzipSync(lines.join(''))
        const path = `/downloads/world/${snapshots}/${resource}.ndjson.gz`
        files.set(path, content)
        const sha256 = createHash('sha256').update(content).digest('hex')
        return { resource, path, bytes: content.length, sha256, rows: lines.length }
      })
      const id = `snapshot${snapshots}`
      manifest = {
        id,
        created_at: '2026-05-27T18:00:00Z',
        reason: 'daily',
        change_seq: seq,
        event_seq: 0,
        files: listed,
      }
    },
    damage(resource, change) {
      for (const path of filesOf(resource)) files.set(path, change(files.get(path) ?? Buffer.alloc(0)))
    },
  }
  return service
}
