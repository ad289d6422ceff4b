import {
  type BatchOutcome,
  type OperatorOperation,
  operatorOperations,
  type RequestOf,
  type ResponseOf,
} from '@chancery/contract'
import { ConnectError, ServiceUnavailableError, StaleFeedError } from './errors.ts'

export interface SendOptions {
  /** Validate the facts and store nothing. */
  isCheck?: boolean
  /** false: a rejected batch is not kept in the dead-letter store. */
  isKept?: boolean
}

/**
 * What pull and outbox need of the operator API; the caller supplies it.
 * Both methods throw ServiceUnavailableError when a retry may succeed, and other errors when it cannot.
 */
export interface ServiceClient {
  /** Sends NDJSON and yields the outcome of each batch. */
  send(facts: AsyncIterable<string>, options?: SendOptions): AsyncIterable<BatchOutcome>
  /** Calls an operation. Undefined if the item does not exist. */
  call<O extends OperatorOperation>(
    operation: O,
    ...request: RequestOf<O>
  ): Promise<ResponseOf<O> | undefined>
}

/** The last batch of a feed that was applied; null if there is none. */
export async function lastBatchOf(client: ServiceClient, feed: string): Promise<string | null> {
  const position = await client.call(operatorOperations.feedsGet, { id: feed })
  if (!position) throw new ConnectError('the service has no feeds: upgrade it to the version of this command')
  return position.last_batch
}

/** Sends one batch. Throws ServiceUnavailableError if its outcome is unknown, and StaleFeedError. */
export async function sendBatch(
  client: ServiceClient,
  lines: Iterable<string>,
  options: SendOptions = {},
): Promise<BatchOutcome> {
  let last: BatchOutcome | undefined
  for await (const outcome of client.send(ndjson(lines), options)) last = outcome
  if (!last || last.status === 'unavailable') throw databaseUnavailable()
  if (last.status === 'overtaken') throw staleFeed()
  return last
}

export const databaseUnavailable = () =>
  new ServiceUnavailableError('the database of the service is unavailable')

export const staleFeed = () => new StaleFeedError('another sender has advanced this feed')

const chunkLength = 262_144

/** Lines as NDJSON, in chunks that suit a connection. */
export async function* ndjson(lines: Iterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Closes a batch. `feed` names the batch before it; `announce: false` marks history, which is not pushed as news. */
export const commitLine = (
  batch: string,
  more: { feed?: { name: string; after: string | null }; announce?: false; refused?: 'set_aside' } = {},
) => JSON.stringify({ op: 'commit', batch, ...more })
