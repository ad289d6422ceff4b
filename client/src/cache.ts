import type { ChanceryEvent } from './api-types.ts'
import type { Clock } from './clock.ts'
import { idsIn, listsOf } from './names.ts'

export interface CacheOptions {
  clock: Clock
  /** How long an answer is as good as new. */
  freshMs: number
  entriesMax: number
}

interface Entry {
  text: string
  tag: string | null
  path: string
  /** What it names: an event about any of them makes it old. */
  ids: Set<string>
  freshUntil: number
}

/** Answers that are the same for everybody, the least used first. */
export interface Cache {
  get(key: string): Readonly<Entry> | undefined
  isFresh(entry: Readonly<Entry>): boolean
  /** Now, for an answer that is about to be asked for: how old it will be, and what has happened since. */
  begin(): Started
  /** Keeps an answer. Without `freshMs` it is asked for anew each time, with its tag. */
  put(
    key: string,
    answer: Pick<Entry, 'text' | 'tag' | 'path'> & { body: object },
    started: Started,
    freshMs?: number,
  ): void
  /** Makes old what an event names, and the lists that it changes. */
  drop(event: ChanceryEvent): void
  clear(): void
}

interface Started {
  at: number
  drops: number
}

interface Drop {
  ids: Set<string>
  lists: readonly string[] | 'all'
}

/** Beyond so many characters in all, the least used go. */
const charactersMax = 16_000_000
/** Events that are remembered for answers under way. Whatever was asked for earlier is not kept as new. */
const dropsKept = 256

export function createCache({ clock, freshMs: usualMs, entriesMax }: CacheOptions): Cache {
  const entries = new Map<string, Entry>()
  let characters = 0
  let drops: Drop[] = []
  let dropCount = 0

  const hits = ({ ids, lists }: Drop, entry: Pick<Entry, 'ids' | 'path'>) =>
    lists === 'all' || lists.includes(entry.path) || [...ids].some(id => entry.ids.has(id))

  function remove(key: string): void {
    characters -= entries.get(key)?.text.length ?? 0
    entries.delete(key)
  }

  /** Whether an event since then makes an answer old that was under way. */
  function isOld(entry: Entry, { drops: known }: Started): boolean {
    const missed = dropCount - known
    return missed > drops.length || (missed > 0 && drops.slice(-missed).some(drop => hits(drop, entry)))
  }

  function note(drop: Drop): void {
    dropCount += 1
    drops = [...drops.slice(1 - dropsKept), drop]
    for (const entry of entries.values()) if (hits(drop, entry)) entry.freshUntil = 0
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

    begin: () => ({ at: clock.now(), drops: dropCount }),

    put(key, { text, tag, path, body }, started, freshMs = usualMs) {
      remove(key)
      const entry = { text, tag, path, ids: idsIn(key, body), freshUntil: started.at + freshMs }
      if (isOld(entry, started)) entry.freshUntil = 0
      entries.set(key, entry)
      characters += text.length
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && characters <= charactersMax) return
        remove(oldest)
      }
    },

    drop(event) {
      note({ ids: idsIn('', event), lists: listsOf(event.type) })
    },

    clear() {
      entries.clear()
      characters = 0
      note({ ids: new Set(), lists: 'all' })
    },
  }
}
