import type { Ask } from './ask.ts'
import type { Subjects } from './world/subjects.ts'

export type ContestantId =
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

/** One thing that contestants are asked, and who is asked. */
export interface Work {
  id: string
  title: string
  contestants: ContestantId[]
  /** What Chancery is asked, and everybody who claims to answer the same. */
  asks: Ask[]
  /** Whether each is asked with the key of the player whose it is, in the order of keys. */
  isPersonal: boolean
  /** Whether the world changes every second meanwhile. */
  isMoving: boolean
  status: 200 | 304
}

const ownWords = { isPersonal: false, isMoving: false, status: 200 } as const

/** Combinations of two lists, so that neither is walked to its end first. */
const combine = <A, B, C>(some: readonly A[], others: readonly B[], join: (one: A, other: B) => C): C[] =>
  some.flatMap(one => others.map(other => join(one, other)))

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const count = (value: number) => value.toLocaleString('en')

const asked = (paths: readonly string[], headers?: Record<string, string>): Ask[] =>
  paths.map(path => ({ path: `/api/v1${path}`, ...(headers ? { headers } : {}) }))

/** All that is asked. `etag` is the one of the first page of nations. */
export function worksFor(subjects: Subjects, etag: string): Work[] {
  const { nations, atWar, names, eventKinds } = subjects
  const hot = '/nations?page=1'
  const pages = Math.floor(subjects.counts.nations / 25)
  return [
    {
      ...ownWords,
      id: 'hot-list',
      title: 'A page of nations that everybody reads',
      contestants: [
        'node',
        'fastify',
        'nginx',
        'nginx-log',
        'plain',
        'platformatic',
        'postgraphile',
        'chancery',
        'chancery-keys',
        'chancery-redis',
        'chancery-redis-keys',
      ],
      asks: asked([hot]),
    },
    {
      ...ownWords,
      id: 'hot-nation',
      title: 'A nation that everybody reads',
      contestants: [
        'node',
        'fastify',
        'nginx',
        'nginx-log',
        'plain',
        'platformatic',
        'postgraphile',
        'chancery',
        'chancery-redis',
      ],
      asks: asked([`/nations/${nations[0]}`]),
    },
    {
      ...ownWords,
      id: 'not-modified',
      title: 'The page again, not modified (304)',
      contestants: ['node', 'nginx', 'nginx-log', 'chancery'],
      asks: asked([hot], { 'if-none-match': etag }),
      status: 304,
    },
    {
      ...ownWords,
      id: 'gzip',
      title: 'The page, compressed',
      contestants: ['node', 'nginx', 'nginx-log', 'chancery'],
      asks: asked([hot], { 'accept-encoding': 'gzip' }),
    },
    {
      ...ownWords,
      id: 'own-nation',
      title: `The caller's own nation, of ${subjects.players.length} callers with keys`,
      contestants: ['node', 'plain', 'chancery-keys', 'chancery-redis-keys'],
      asks: asked(subjects.players.map(player => `/me/nation?player=${player}`)),
      isPersonal: true,
    },
    {
      ...ownWords,
      id: 'nations-still',
      title: `${count(nations.length)} different nations, while the world stands still`,
      contestants: ['plain', 'chancery'],
      asks: asked(nations.map(id => `/nations/${id}`)),
    },
    {
      ...ownWords,
      id: 'nations-moving',
      title: `${count(nations.length)} different nations, while the world goes on`,
      contestants: ['plain', 'chancery', 'platformatic', 'postgraphile'],
      asks: asked(nations.map(id => `/nations/${id}`)),
      isMoving: true,
    },
    {
      ...ownWords,
      id: 'pages-moving',
      title: `${count(pages)} different pages of nations, while the world goes on`,
      contestants: ['plain', 'chancery', 'platformatic', 'postgraphile'],
      asks: asked(numbers(1, pages).map(page => `/nations?page=${page}`)),
      isMoving: true,
    },
    {
      ...ownWords,
      id: 'search',
      title: `${count(names.length)} different searches by name, while the world goes on`,
      contestants: ['plain', 'chancery'],
      asks: asked(names.map(name => `/nations?search=${name}`)),
      isMoving: true,
    },
    {
      ...ownWords,
      id: 'wars',
      title: 'Wars of one nation that go on, of many nations, while the world goes on',
      contestants: ['plain', 'chancery'],
      asks: asked(
        combine(
          numbers(10, 25),
          atWar,
          (limit, id) => `/wars?status=active&nation_id=${id}&limit=${limit}`,
        ).slice(0, nations.length),
      ),
      isMoving: true,
    },
    {
      ...ownWords,
      id: 'events',
      title: 'Events of one kind, of many kinds and pages, while the world goes on',
      contestants: ['plain', 'chancery'],
      asks: asked(
        combine(
          combine(numbers(16, 25), numbers(1, 20), (limit, page) => `page=${page}&limit=${limit}`),
          eventKinds,
          (rest, kind) => `/events?type=${kind}&${rest}`,
        ),
      ),
      isMoving: true,
    },
  ]
}
