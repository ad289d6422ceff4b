import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeferred, type Deferred } from './deferred.ts'
import { BatchRejectedError, QueueFullError } from './errors.ts'
import type { AnyFacts, DeleteFact, EventDetails, EventFact, Fact, FactTypes, PutFact } from './facts.ts'
import { isApplied, type Outcome } from './outcome.ts'
import { type BatchQueue, createQueue } from './queue.ts'
import { type Service, ServiceError, sendBatches } from './send.ts'
import { openSpool, type Spool } from './spool.ts'

export interface SenderOptions {
  /** Address of the operator API. Default: `CHANCERY_OPERATOR_URL`, else http://127.0.0.1:8081. */
  url?: string
  /** A token of the role `facts`. Default: `CHANCERY_OPERATOR_TOKEN`. */
  token?: string
  /** A folder of this process, where batches wait until they are applied. Without it they wait in memory, and a crash loses them. */
  spool?: string
  /** The most bytes that wait; beyond it facts are not taken. Default: 1 GiB with a spool, 64 MiB without. */
  bytesMax?: number
  /** How long single facts are collected into a batch. Default: 200 ms. */
  collectMs?: number
  /** How many single facts a batch collects. Default: 1,000. */
  collectMax?: number
  /** Called for each batch that is rejected, also for one that an earlier process left in the spool. */
  onRejected?(outcome: Outcome): void
  /** Lines about outages and rejected batches, a line when they begin and when they end. Default: standard error. */
  log?(message: string): void
  fetch?: typeof globalThis.fetch
}

export interface BatchOptions {
  /** Your own id, such as `turn-8817`: the same batch under the same id is applied once, from any sender. Default: a random one. */
  id?: string
  /** false records history: its events are not sent to webhooks and open streams. */
  announce?: boolean
  /**
   * true applies the batch without the facts that do not fit, and without those that refer to them. The service stores these, and applies
   * them as soon as they fit. Default: the whole batch is rejected.
   */
  setAside?: boolean
}

/** Sends facts in the order of the calls, retries until the service has responded, and applies nothing twice. */
export interface Sender<T extends FactTypes = AnyFacts> {
  /** States current values of an item; omitted fields stay unchanged. Single facts are collected for a moment and sent together. */
  put<R extends keyof T['resources'] & string>(resource: R, data: T['resources'][R], at?: string): void
  delete(resource: keyof T['resources'] & string, id: string, at?: string): void
  event<K extends keyof T['events'] & string>(type: K, data: T['events'][K], about?: EventDetails): void
  /**
   * Sends facts as one batch, which is applied whole or not at all: a turn, a trade. Resolves when it is applied.
   * @throws {BatchRejectedError}
   */
  batch(facts: readonly Fact<T>[], options?: BatchOptions): Promise<Outcome>
  /** Resolves when all facts so far are on disk, or without a spool when they are applied. */
  stored(): Promise<void>
  /** Resolves when the service has responded to all facts so far. */
  flush(): Promise<void>
  /** How many batches wait. */
  readonly waiting: number
  /** Sends what it can within the time (5 seconds), and stops. The rest stays in the spool. */
  close(timeoutMs?: number): Promise<void>
}

const mebibyte = 1_048_576
const backOffMs = { first: 200, most: 30_000 }

/** @throws {SpoolError} if the spool cannot be used. */
export async function openSender<T extends FactTypes = AnyFacts>(
  options: SenderOptions = {},
): Promise<Sender<T>> {
  const { env } = process
  const token = options.token ?? env.CHANCERY_OPERATOR_TOKEN
  if (!token) throw new TypeError('a token is required: set CHANCERY_OPERATOR_TOKEN, or give `token`')
  const url = options.url ?? env.CHANCERY_OPERATOR_URL ?? 'http://127.0.0.1:8081'
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw new TypeError(`url is ${url}: it must be an http or https address`)
  const log = options.log ?? (message => console.error(`chancery: ${message}`))
  const spool = options.spool === undefined ? undefined : await openSpool(options.spool, log)
  const bytesMax = options.bytesMax ?? (spool ? 1024 : 64) * mebibyte
  const queue = createQueue(spool, { bytesMax, log })
  return createSender<T>({ url, token, fetch: options.fetch ?? globalThis.fetch }, queue, spool, {
    ...options,
    log,
  })
}

type Waiting = Deferred<Outcome>

/** Its rejection is reported where it is awaited, and in the log: it must not end the process. */
function createWaiting(): Waiting {
  const waiting = createDeferred<Outcome>()
  waiting.promise.catch(() => undefined)
  return waiting
}

function createSender<T extends FactTypes>(
  service: Service,
  queue: BatchQueue,
  spool: Spool | undefined,
  { collectMs = 200, collectMax = 1_000, onRejected, log }: SenderOptions & { log(message: string): void },
): Sender<T> {
  /** The lines of the batch that collects single facts. */
  let collected: string[] = []
  let collecting: NodeJS.Timeout | undefined
  /** By the id of each batch that waits. */
  const waiting = new Map<string, Waiting>((spool?.found ?? []).map(({ id }) => [id, createWaiting()]))
  let storing: Promise<unknown> = Promise.resolve()
  const closing = new AbortController()
  const running = run()

  function add(
    lines: string[],
    { id = `game-${randomUUID()}`, announce, setAside = false }: BatchOptions = {},
  ): Promise<Outcome> {
    if (waiting.has(id)) throw new TypeError(`a batch ${id} waits already`)
    const commit = {
      op: 'commit',
      batch: id,
      ...(announce === undefined ? {} : { announce }),
      ...(setAside ? { refused: 'set_aside' } : {}),
    }
    const stored = queue.add(id, [...lines, JSON.stringify(commit), ''].join('\n'))
    storing = Promise.all([storing, stored])
    storing.catch(() => undefined)
    const response = createWaiting()
    waiting.set(id, response)
    return response.promise
  }

  /** Closes the batch of single facts. They stay collected if the queue is full. */
  function closeCollected() {
    clearTimeout(collecting)
    collecting = undefined
    if (collected.length === 0) return
    add(collected)
    collected = []
  }

  function collect(fact: Fact<T>) {
    assertOpen()
    if (collected.length >= collectMax) closeCollected()
    collected.push(JSON.stringify(fact))
    collecting ??= setTimeout(collectedInTime, collectMs)
  }

  function collectedInTime() {
    collecting = undefined
    try {
      closeCollected()
    } catch (err) {
      if (!(err instanceof QueueFullError)) throw err
      collecting = setTimeout(collectedInTime, collectMs)
    }
  }

  function assertOpen() {
    if (closing.signal.aborted) throw new Error('the sender is closed')
  }

  async function finish(outcome: Outcome): Promise<void> {
    const id = outcome.batch ?? ''
    const isRejected = !isApplied(outcome)
    await queue.remove({ isKept: isRejected && !outcome.is_kept })
    const response = waiting.get(id)
    waiting.delete(id)
    if (!isRejected) return response?.resolve(outcome)
    const error = new BatchRejectedError(outcome)
    log(error.message)
    response?.reject(error)
    try {
      onRejected?.(outcome)
    } catch (err) {
      log(`onRejected failed: ${err}`)
    }
  }

  async function run(): Promise<void> {
    let waitMs = backOffMs.first
    let trouble: string | undefined
    while (!closing.signal.aborted) {
      await queue.filled(closing.signal)
      if (closing.signal.aborted) return
      try {
        for await (const outcome of sendBatches(service, queue.next(), closing.signal)) {
          if (trouble !== undefined) log('the service takes facts again')
          trouble = undefined
          waitMs = backOffMs.first
          await finish(outcome)
        }
      } catch (err) {
        if (closing.signal.aborted) return
        const { message } = err as Error
        if (trouble !== message) log(`${message}; ${queue.length} batches wait`)
        trouble = message
        if (err instanceof ServiceError && err.isConfiguration) waitMs = backOffMs.most
        await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(
          () => undefined,
        )
        waitMs = Math.min(waitMs * 2, backOffMs.most)
      }
    }
  }

  async function flush(): Promise<void> {
    while (collected.length > 0) {
      try {
        closeCollected()
      } catch (err) {
        if (!(err instanceof QueueFullError) || waiting.size === 0) throw err
        await Promise.race([...waiting.values()].map(({ promise }) => promise)).catch(() => undefined)
      }
    }
    await Promise.allSettled([...waiting.values()].map(({ promise }) => promise))
  }

  return {
    put(resource, data, at) {
      collect({ op: 'put', resource, data, ...(at !== undefined && { at }) } as PutFact<T>)
    },
    delete(resource, id, at) {
      collect({ op: 'delete', resource, id, ...(at !== undefined && { at }) } as DeleteFact<T>)
    },
    event(type, data, about) {
      const occurred_at = new Date().toISOString()
      collect({ op: 'event', data: { occurred_at, ...about, type, data } } as unknown as EventFact<T>)
    },
    async batch(facts, batchOptions) {
      assertOpen()
      if (facts.length === 0) throw new TypeError('a batch needs a fact')
      closeCollected()
      return add(
        facts.map(fact => JSON.stringify(fact)),
        batchOptions,
      )
    },
    async stored() {
      if (!spool) return flush()
      closeCollected()
      const pending = storing
      storing = Promise.resolve()
      await pending
    },
    flush,
    get waiting() {
      return queue.length
    },
    async close(timeoutMs = 5_000) {
      await Promise.race([flush(), sleep(timeoutMs, undefined, { ref: false })])
      closing.abort()
      await Promise.allSettled([running, storing])
      await spool?.close()
      const error = new Error('the sender was closed before the service responded')
      for (const { reject } of waiting.values()) reject(error)
    },
  }
}
