import type { BenchRequest, RecordedResponse } from '../load.ts'
import { count } from '../machine.ts'
import type { Subjects } from '../world.ts'

export type TargetId =
  | 'node'
  | 'fastify'
  | 'nginx'
  | 'nginx-log'
  | 'plain'
  | 'platformatic'
  | 'postgraphile'
  | 'chancery'
  | 'chancery-keys'
  | 'chancery-redis'
  | 'chancery-redis-keys'

/** A server that is measured, on the core of the servers. */
export interface Target {
  id: TargetId
  title: string
  url: string
  /** Its descendants are measured with it. */
  pid: number
  /** Of targets that replay one recorded response: this one from now on. */
  replay?(response: RecordedResponse): Promise<void>
}

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

const peers: TargetId[] = ['platformatic', 'postgraphile']
const keyed: TargetId[] = ['chancery-keys', 'chancery-redis-keys']
const cached: TargetId[] = [
  'node',
  'fastify',
  'nginx',
  'nginx-log',
  'plain',
  ...peers,
  'chancery',
  'chancery-redis',
]
const replayed: TargetId[] = ['node', 'nginx', 'nginx-log', 'chancery']
const uncached: TargetId[] = ['plain', 'chancery']

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

export const firstPage = '/nations?page=1'

/** `etag`: of the first page of nations. */
export function createWorkloads(
  { nations, atWar, names, eventTypes, players, counts }: Subjects,
  etag: string,
): Workload[] {
  const pages = numbers(1, Math.floor(counts.nations / 25))
  const each = nations.map(id => `/nations/${id}`)
  const workload = (
    id: string,
    title: string,
    targets: readonly TargetId[],
    paths: readonly string[],
    headers: Record<string, string> = {},
  ): Workload => ({ id, title, targets, requests: paths.map(path => ({ path: `/api/v1${path}`, headers })) })
  const changing = (id: string, title: string, targets: readonly TargetId[], paths: string[]) => ({
    ...workload(id, `${title}, changing world`, targets, paths),
    isChanging: true,
  })
  const some = `${count(nations.length)} nations`
  const own = players.map(player => `/me/nation?player=${player}`)
  const warsOf = (limit: number) => atWar.map(id => `/wars?status=active&nation_id=${id}&limit=${limit}`)
  const eventsOf = (page: number, limit: number) =>
    eventTypes.map(type => `/events?type=${type}&page=${page}&limit=${limit}`)
  return [
    workload('cached-page', 'Cached page of nations', [...cached, ...keyed], [firstPage]),
    workload('cached-nation', 'Cached nation', cached, each.slice(0, 1)),
    workload('not-modified', 'Cached page, not modified (304)', replayed, [firstPage], {
      'if-none-match': etag,
    }),
    workload('gzip', 'Cached page, gzip', replayed, [firstPage], { 'accept-encoding': 'gzip' }),
    {
      ...workload(
        'own-nation',
        `Own nation of ${own.length} players with keys`,
        ['node', 'plain', ...keyed],
        own,
      ),
      isPrivate: true,
    },
    workload('nations-static', `${some}, static world`, uncached, each),
    changing('nations-changing', some, [...uncached, ...peers], each),
    changing(
      'pages-changing',
      `${count(pages.length)} pages of nations`,
      [...uncached, ...peers],
      pages.map(page => `/nations?page=${page}`),
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
      numbers(10, 25).flatMap(warsOf).slice(0, nations.length),
    ),
    changing(
      'events',
      'Events of one type',
      uncached,
      numbers(16, 25).flatMap(limit => numbers(1, 20).flatMap(page => eventsOf(page, limit))),
    ),
  ]
}
