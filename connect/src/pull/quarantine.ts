/** Quarantined rows in the dead-letter store of the service. */
import { createHash } from 'node:crypto'
import { operatorOperations } from '@chancery/contract'
import { commitLine, type ServiceClient, sendBatch } from '../service-client.ts'

const idPrefix = (feed: string) => `${feed}:row:`

/** The id of a quarantined row: the same line has the same id. */
const quarantineId = (feed: string, line: string) =>
  idPrefix(feed) + createHash('sha256').update(line).digest('hex').slice(0, 32)

/**
 * Sends one line as a batch of its own, so that its rejection is kept in the dead-letter store.
 * `isApplied`: the service accepted it alone.
 */
export async function quarantineRow(
  client: ServiceClient,
  line: string,
  feed: { name: string; after: string | null },
): Promise<{ id: string; isApplied: boolean }> {
  const id = quarantineId(feed.name, line)
  const { status } = await sendBatch(client, [line, commitLine(id, { feed })])
  return { id, isApplied: status === 'applied' }
}

/** Removes a row from the dead-letter store. */
export async function dropQuarantined(client: ServiceClient, id: string): Promise<void> {
  await client.call(operatorOperations.refusedDrop, { id })
}

/** Drops the rows that an earlier puller of this feed has quarantined and this one has not. */
export async function dropAbandoned(
  client: ServiceClient,
  feed: string,
  quarantined: ReadonlySet<string>,
): Promise<void> {
  const list = await client.call(operatorOperations.refusedList, { query: { feed, limit: 1000 } })
  for (const { id } of list?.data ?? [])
    if (id.startsWith(idPrefix(feed)) && !quarantined.has(id)) await dropQuarantined(client, id)
}
