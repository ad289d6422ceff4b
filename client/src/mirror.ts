import type { Change } from './api-types.ts'
import { urlOf } from './calls.ts'
import { type Clock, sleep } from './clock.ts'
import { ChanceryError, CursorExpired, invalidResponse } from './errors.ts'
import { limits } from './limits.ts'
import { type Changes, openMirrorFile } from './mirror-file.ts'
import { itemTexts, rowOf } from './mirror-row.ts'
import {
  NoSnapshotError,
  newestSnapshot,
  noSnapshot,
  type Snapshot,
  snapshotRows,
} from './mirror-snapshot.ts'
import { type MirroredItems, type MirroredResource, mirrored, mirroredResources } from './mirrored.ts'
import type { Transport } from './transport.ts'

export interface MirrorOptions {
  /** What to copy. Default: all resources. Changes of others cost no requests. */
  resources?: readonly MirroredResource[] | undefined
  /** The time between two requests while nothing changes. Default: 60. */
  pollSeconds?: number | undefined
}

export interface MirrorRunOptions {
  /** Ends it: it rejects with the signal’s reason. */
  signal?: AbortSignal | undefined
}

/** A change that the copy contains. `loaded`: a snapshot replaced the whole copy, so any item may be another one. */
export type MirrorChange =
  | { seq: number; resource: MirroredResource; id: string; change: 'put' | 'deleted' }
  | { seq: number; resource?: undefined; id?: undefined; change: 'loaded' }

/** A copy of the public world in a SQLite file. Its methods for reading do not send requests. */
export interface Mirror {
  /** The number of the change up to which the copy is complete. Undefined before the first snapshot was loaded. */
  readonly position: number | undefined
  /** An item as the API returns it; undefined if there is none. */
  get<R extends MirroredResource>(resource: R, id: string): MirroredItems[R] | undefined
  /** All items of a resource. The copy may change meanwhile: the items are of the moment in which the loop began. */
  list<R extends MirroredResource>(resource: R): IterableIterator<MirroredItems[R]>
  /** Reads all changes up to now, then returns. Throws a `ChanceryError` if a request failed. */
  update(options?: MirrorRunOptions): Promise<void>
  /** Keeps the copy current, and yields each change after it was applied. It retries after errors that may pass. */
  follow(options?: MirrorRunOptions): AsyncGenerator<MirrorChange, void>
  /** Keeps the copy current without end. */
  run(options?: MirrorRunOptions): Promise<void>
  /** Closes the file. End `follow` and `run` before. */
  close(): void
}

export interface MirrorDependencies {
  transport: Transport
  clock: Clock
  random: () => number
}

/** Pages of changes that are read before their items: an item that changed several times is read once. */
const pagesAtOnce = 10
/** With more changes to read, a newer snapshot costs fewer requests. */
const changesMax = 10_000
const retryMsFirst = 2_000

export function openMirror(parts: MirrorDependencies, path: string, options: MirrorOptions): Mirror {
  const { transport, clock, random } = parts
  const { resources = mirroredResources, pollSeconds = 60 } = options
  const unknown = resources.find(name => !mirroredResources.includes(name))
  if (unknown !== undefined || resources.length === 0)
    throw new TypeError(
      `resources must be some of ${mirroredResources.join(', ')}${unknown ? `, not ${unknown}` : ''}.`,
    )
  if (!(pollSeconds >= 1)) throw new TypeError('pollSeconds must be a number of at least 1.')
  if (path === '' || path === ':memory:') throw new TypeError('The path of a mirror must be that of a file.')
  const isWanted = (name: string): name is MirroredResource => resources.some(resource => resource === name)
  const isAll = mirroredResources.every(isWanted)
  const origin = transport.base.replace(/\/api\/(public\/)?v1$/, '')
  const file = openMirrorFile(path, `${origin} ${mirroredResources.filter(isWanted).join(',')}`)

  /** A page of a list, past the cache: it may be older than the change. */
  async function readPage(path: string, parameters: object, signal: AbortSignal | undefined) {
    const limit = limits.pageSizeMax
    const { text, body } = await transport.call({
      path: urlOf(path, { limit, ...parameters }),
      template: path,
      signal,
    })
    const { data, pagination } = body as { data: unknown; pagination?: { total?: unknown } }
    if (!Array.isArray(data)) throw invalidResponse(`The response of ${path} is not a list.`)
    return { text, data, total: Number(pagination?.total ?? 0) }
  }

  /** The latest change of each item after a position, from several pages. */
  async function readChanges(after: number, signal: AbortSignal | undefined) {
    const changes = new Map<string, Change & { resource: MirroredResource }>()
    const filter = isAll ? {} : { resource: resources }
    let position = after
    let left = 0
    for (let pages = 0; pages < pagesAtOnce; pages += 1) {
      const { data, total } = await readPage('/changes', { ...filter, after: position }, signal)
      if (pages === 0) left = total
      for (const change of data) {
        if (!isChange(change) || change.seq <= position)
          throw invalidResponse('The response of /changes contains an invalid change.')
        position = change.seq
        const { resource, id } = change
        if (!isWanted(resource)) continue
        changes.delete(`${resource} ${id}`)
        changes.set(`${resource} ${id}`, { ...change, resource })
      }
      if (data.length < limits.pageSizeMax)
        return { changes: [...changes.values()], position, left, hasMore: false }
    }
    return { changes: [...changes.values()], position, left, hasMore: true }
  }

  /** Reads the items of changes. An item that its list does not return has been deleted. */
  async function readItems(
    changes: readonly { resource: MirroredResource; id: string; change: string }[],
    signal: AbortSignal | undefined,
  ) {
    const applied: Changes = { put: new Map(), deleted: new Map() }
    for (const resource of resources) {
      const ofResource = changes.filter(change => change.resource === resource)
      const gone = new Set(ofResource.map(({ id }) => id))
      const ids = ofResource.filter(({ change }) => change !== 'deleted').map(({ id }) => id)
      const rows = []
      const { path, parameter } = mirrored[resource]
      for (let from = 0; from < ids.length; from += limits.pageSizeMax) {
        const some = ids.slice(from, from + limits.pageSizeMax)
        const { text, data } = await readPage(path, { [parameter]: some }, signal)
        const texts = itemTexts(text)
        if (texts.length !== data.length)
          throw invalidResponse(`The response of ${path} is not a list of items.`)
        for (const row of texts.map(json => rowOf(resource, json))) if (gone.delete(row.key)) rows.push(row)
      }
      applied.put.set(resource, rows)
      applied.deleted.set(resource, [...gone])
    }
    return applied
  }

  /** Loads a snapshot. Files that were staged before the process ended are not loaded again. */
  async function* load(snapshot: Snapshot, signal: AbortSignal | undefined): AsyncGenerator<MirrorChange> {
    const { id, change_seq: seq, files } = snapshot
    await readPage('/changes', { after: seq, limit: 1 }, signal).catch(error => {
      if (error instanceof CursorExpired)
        throw noSnapshot('The newest snapshot is older than the stored changes.')
      throw error
    })
    const staged = file.stagedFiles(id)
    for (const one of files) {
      const { resource, path } = one
      if (!isWanted(resource) || staged.has(path)) continue
      await file.stage(resource, path, snapshotRows(parts, resource, one, signal))
    }
    await file.install(id, seq)
    yield { seq, change: 'loaded' }
  }

  /** Loads a snapshot, or applies the next changes. Returns whether there may be more. */
  async function* advance(signal: AbortSignal | undefined): AsyncGenerator<MirrorChange, boolean> {
    const from = file.position
    const read =
      from === undefined
        ? undefined
        : await readChanges(from, signal).catch(error => {
            if (error instanceof CursorExpired) return undefined
            throw error
          })
    if (from === undefined || read === undefined) {
      yield* load(await newestSnapshot(parts, signal), signal)
      return true
    }
    if (read.left > changesMax) {
      const snapshot = await newestSnapshot(parts, signal).catch(error => {
        if (error instanceof NoSnapshotError) return undefined
        throw error
      })
      if (snapshot && snapshot.id !== file.snapshotId && snapshot.change_seq > read.position) {
        yield* load(snapshot, signal)
        return true
      }
    }
    if (read.position === from) return false
    const applied = await readItems(read.changes, signal)
    file.apply(applied, read.position)
    const gone = new Map([...applied.deleted].map(([resource, ids]) => [resource, new Set(ids)]))
    for (const { seq, resource, id } of read.changes)
      yield { seq, resource, id, change: gone.get(resource)?.has(id) ? 'deleted' : 'put' }
    return read.hasMore
  }

  async function* follow({ signal }: MirrorRunOptions = {}): AsyncGenerator<MirrorChange, void> {
    let failures = 0
    for (;;) {
      signal?.throwIfAborted()
      let waitMs = pollSeconds * 1000
      try {
        const hasMore = yield* advance(signal)
        failures = 0
        if (hasMore) continue
      } catch (error) {
        signal?.throwIfAborted()
        if (!mayPass(error)) throw error
        const retryMs = Math.min(waitMs, retryMsFirst * 2 ** failures)
        failures += 1
        waitMs = Math.max(error instanceof NoSnapshotError ? waitMs : retryMs, (error.retryAfter ?? 0) * 1000)
      }
      // Jitter, so that many mirrors do not send their requests at the same time.
      await sleep(clock, waitMs * (1 + random() / 10), signal)
    }
  }

  return {
    get position() {
      return file.position
    },
    get(resource, id) {
      const json = file.get(resource, id)
      return json === undefined ? undefined : JSON.parse(json)
    },
    *list(resource) {
      for (const json of file.list(resource)) yield JSON.parse(json)
    },
    async update({ signal } = {}) {
      for (let hasMore = true; hasMore; ) {
        signal?.throwIfAborted()
        const changes = advance(signal)
        for (let result = await changes.next(); ; result = await changes.next()) {
          if (!result.done) continue
          hasMore = result.value
          break
        }
      }
    },
    follow,
    async run(options) {
      for await (const _ of follow(options));
    },
    close: file.close,
  }
}

const isChange = (value: Partial<Change> | null): value is Change =>
  Number.isSafeInteger(value?.seq) && typeof value?.resource === 'string' && typeof value.id === 'string'

/** Whether a later attempt may succeed. */
function mayPass(error: unknown): error is ChanceryError {
  if (!(error instanceof ChanceryError)) return false
  const { status = 500 } = error
  return error instanceof NoSnapshotError || status < 400 || status >= 500 || status === 408 || status === 429
}
