import { type BenchRequest, fetchOnce, headerOf } from '../load.ts'
import type { Target, TargetId } from '../servers.ts'
import type { Subjects } from '../world.ts'
import { platformaticRequest, postGraphileRequest } from './peers.ts'

/** Requests of one kind, and the targets that they are sent to. */
export interface Workload {
  id: string
  title: string
  targets: readonly TargetId[]
  /** As Chancery takes them. */
  requests: BenchRequest[]
  /** Each is sent with the key of its own player, in the order of the keys. */
  isPrivate?: boolean
  /** The world changes every second meanwhile. */
  isChanging?: boolean
}

const bare: TargetId[] = ['node', 'fastify', 'nginx', 'nginx-log', 'plain', 'platformatic', 'postgraphile']
const uncached: TargetId[] = ['plain', 'chancery']
const replayed: TargetId[] = ['node', 'nginx', 'nginx-log', 'chancery']

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const count = (value: number) => value.toLocaleString('en')

const get = (paths: readonly string[], headers?: Record<string, string>): BenchRequest[] =>
  paths.map(path => ({ path: `/api/v1${path}`, ...(headers ? { headers } : {}) }))

export const firstPage = '/nations?page=1'

/** `etag`: of the first page of nations. */
export function createWorkloads(
  { nations, atWar, names, eventTypes, players, counts }: Subjects,
  etag: string,
): Workload[] {
  const pages = Math.floor(counts.nations / 25)
  const each = nations.map(id => `/nations/${id}`)
  const workload = (
    id: string,
    title: string,
    targets: readonly TargetId[],
    requests: BenchRequest[],
    more: Pick<Workload, 'isPrivate' | 'isChanging'> = {},
  ): Workload => ({ id, title, targets, requests, ...more })
  const changing = (id: string, title: string, targets: readonly TargetId[], paths: string[]) =>
    workload(id, `${title}, changing world`, targets, get(paths), { isChanging: true })
  const keyed: TargetId[] = ['chancery-keys', 'chancery-redis-keys']
  const etagged = { 'if-none-match': etag }
  const zipped = { 'accept-encoding': 'gzip' }
  const own = players.map(player => `/me/nation?player=${player}`)
  const some = `${count(nations.length)} nations`
  return [
    workload(
      'cached-page',
      'Cached page of nations',
      [...bare, 'chancery', 'chancery-redis', ...keyed],
      get([firstPage]),
    ),
    workload(
      'cached-nation',
      'Cached nation',
      [...bare, 'chancery', 'chancery-redis'],
      get(each.slice(0, 1)),
    ),
    workload('not-modified', 'Cached page, not modified (304)', replayed, get([firstPage], etagged)),
    workload('gzip', 'Cached page, gzip', replayed, get([firstPage], zipped)),
    workload(
      'own-nation',
      `Own nation of ${players.length} players with keys`,
      ['node', 'plain', ...keyed],
      get(own),
      { isPrivate: true },
    ),
    workload('nations-static', `${some}, static world`, uncached, get(each)),
    changing('nations-changing', some, [...uncached, 'platformatic', 'postgraphile'], each),
    changing(
      'pages-changing',
      `${count(pages)} pages of nations`,
      [...uncached, 'platformatic', 'postgraphile'],
      numbers(1, pages).map(page => `/nations?page=${page}`),
    ),
    changing(
      'search',
      `${count(names.length)} searches by name`,
      uncached,
      names.map(name => `/nations?search=${name}`),
    ),
    changing(
      'wars',
      'Active wars of a nation',
      uncached,
      numbers(10, 25)
        .flatMap(limit => atWar.map(id => `/wars?status=active&nation_id=${id}&limit=${limit}`))
        .slice(0, nations.length),
    ),
    changing(
      'events',
      'Events of one type',
      uncached,
      numbers(16, 25).flatMap(limit =>
        numbers(1, 20).flatMap(page =>
          eventTypes.map(type => `/events?type=${type}&page=${page}&limit=${limit}`),
        ),
      ),
    ),
  ]
}

const withHeader = (request: BenchRequest, name: string, value: string): BenchRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

/** The requests of a workload in the form that a target takes. */
export async function requestsFor(
  { requests, isPrivate }: Pick<Workload, 'requests' | 'isPrivate'>,
  { id, url }: Pick<Target, 'id' | 'url'>,
  keys: readonly string[],
): Promise<BenchRequest[]> {
  const withKey = (request: BenchRequest, key = '') => withHeader(request, 'authorization', `Bearer ${key}`)
  if (id === 'platformatic') return requests.map(platformaticRequest)
  if (id === 'postgraphile') return requests.map(postGraphileRequest)
  if (id.endsWith('-keys'))
    return isPrivate
      ? requests.map((request, index) => withKey(request, keys[index]))
      : requests.flatMap(request => keys.map(key => withKey(request, key)))
  if (id.startsWith('nginx') && requests[0]?.headers?.['if-none-match'] !== undefined)
    // It has entity tags of its own.
    return Promise.all(
      requests.map(async request => {
        const etag = headerOf(await fetchOnce(url, { path: request.path }), 'etag') ?? ''
        return withHeader(request, 'if-none-match', etag)
      }),
    )
  return requests
}
