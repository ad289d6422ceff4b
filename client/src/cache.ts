import type { ChanceryEvent } from './api-types.ts'
import type { Clock } from './clock.ts'

export interface CacheOptions {
  clock: Clock
  /** How long a response is fresh. */
  freshMs: number
  entriesMax: number
}

interface Entry {
  text: string
  etag: string | null
  path: string
  /** The ids in it: an event about any of them makes it stale. */
  ids: Set<string>
  freshUntil: number
}

/** An LRU cache of responses that are the same for all callers. */
export interface Cache {
  get(key: string): Readonly<Entry> | undefined
  isFresh(entry: Readonly<Entry>): boolean
  /** To be called before a request, so that `put` knows the age of its response and the invalidations since. */
  begin(): RequestStart
  /** Stores a response. With `freshMs` 0 it is revalidated each time. */
  put(
    key: string,
    response: Pick<Entry, 'text' | 'etag' | 'path'> & { body: object },
    started: RequestStart,
    freshMs?: number,
  ): void
  /** Makes the responses stale that contain an id of an event, and the lists that it changes. */
  invalidate(event: ChanceryEvent): void
  clear(): void
}

interface RequestStart {
  at: number
  invalidationCount: number
}

interface Invalidation {
  ids: Set<string>
  lists: readonly string[] | 'all'
}

/** Above this total, the least recently used entries are evicted. */
const charactersMax = 16_000_000
/** Invalidations that are kept for requests in flight. Responses to older requests are stored as stale. */
const recentInvalidationsMax = 256

export function createCache({ clock, freshMs: usualMs, entriesMax }: CacheOptions): Cache {
  const entries = new Map<string, Entry>()
  let characters = 0
  let recentInvalidations: Invalidation[] = []
  let invalidationCount = 0

  const affects = ({ ids, lists }: Invalidation, entry: Pick<Entry, 'ids' | 'path'>) =>
    lists === 'all' || lists.includes(entry.path) || [...ids].some(id => entry.ids.has(id))

  function remove(key: string): void {
    characters -= entries.get(key)?.text.length ?? 0
    entries.delete(key)
  }

  /** Whether an invalidation since the start of the request affects its response. */
  function isStale(entry: Entry, { invalidationCount: known }: RequestStart): boolean {
    const missed = invalidationCount - known
    return (
      missed > recentInvalidations.length ||
      (missed > 0 && recentInvalidations.slice(-missed).some(drop => affects(drop, entry)))
    )
  }

  function record(drop: Invalidation): void {
    invalidationCount += 1
    recentInvalidations = [...recentInvalidations.slice(1 - recentInvalidationsMax), drop]
    for (const entry of entries.values()) if (affects(drop, entry)) entry.freshUntil = 0
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },

    isFresh: entry => clock.now() < entry.freshUntil,

    begin: () => ({ at: clock.now(), invalidationCount: invalidationCount }),

    put(key, { text, etag, path, body }, started, freshMs = usualMs) {
      remove(key)
      const entry = { text, etag, path, ids: idsIn(key, body), freshUntil: started.at + freshMs }
      if (isStale(entry, started)) entry.freshUntil = 0
      entries.set(key, entry)
      characters += text.length
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && characters <= charactersMax) return
        remove(oldest)
      }
    },

    invalidate(event) {
      record({ ids: idsIn('', event), lists: listsAffectedBy(event.type) })
    },

    clear() {
      entries.clear()
      characters = 0
      record({ ids: new Set(), lists: 'all' })
    },
  }
}

/** The lists that a family of events changes: cached lists do not contain the ids of new items. */
const lists = new Map<string, readonly string[] | 'all'>([
  ['war', ['/wars', '/global-conflicts']],
  ['battle', ['/battles']],
  ['strategic_weapon', []],
  ['alliance', ['/alliances', '/members']],
  ['treaty', ['/treaties']],
  ['nation', ['/nations', '/members']],
  ['conflict', ['/global-conflicts']],
  ['news', ['/news']],
  ['market', ['/market/price', '/market/rankings']],
  // Resets and redactions may affect any response.
  ['era', 'all'],
  ['record', 'all'],
  ['game', []],
])

/** The families in this table. */
export const knownFamilies: ReadonlySet<string> = new Set(lists.keys())

/** Paths of the lists that a kind of event changes; `all` for unknown families. */
const listsAffectedBy = (type: string): readonly string[] | 'all' =>
  lists.get(type.split('.')[0] ?? '') ?? 'all'

/** The ids in the URL of a request, and in members of its response called `id`, `…_id` or `…_ids`. */
function idsIn(url: string, value: object): Set<string> {
  const [path = '', query = ''] = url.split('?')
  const ids = new Set(path.split('/').slice(2))
  for (const [name, text] of new URLSearchParams(query))
    if (/ids?$/.test(name)) for (const id of text.split(',')) ids.add(id)
  gather(value, ids)
  return ids
}

function gather(value: object, ids: Set<string>): void {
  for (const [name, member] of Object.entries(value)) {
    if (name === 'id' || name.endsWith('_id')) ids.add(String(member))
    else if (name.endsWith('_ids') && Array.isArray(member)) for (const id of member) ids.add(String(id))
    else if (typeof member === 'object' && member !== null) gather(member, ids)
  }
}
