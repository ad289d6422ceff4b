import { type Contract, limits } from '@chancery/contract'
import { pruneAccounts } from '../account/account-log.ts'
import { deleteOldChanges } from '../changes/store.ts'
import { type DeletedBlock, retainEvents } from '../events/retention.ts'
import { deleteOldBatchIds, deleteOldDeadLetters } from '../ingest/dead-letters.ts'
import { deleteOldHeartbeats } from '../ingest/heartbeats.ts'
import { deleteEndedAddressLimits } from '../limits/address-limits.ts'
import { deleteOldHistory } from '../resources/history/record-day.ts'
import { deleteOldPrices } from '../resources/market/history.ts'
import { deleteOldSnapshots } from '../snapshots/files.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { Logger } from '../telemetry/log.ts'
import type { TaskFailures } from '../telemetry/task-failures.ts'
import { deleteOldCodes } from '../verification/store.ts'
import { pruneDeliveryLog } from '../webhooks/delivery-log.ts'
import type { Config } from './config.ts'

const everyMs = 3_600_000

/** Deletes expired rows once an hour. `close` waits for the transaction in progress. */
export function startHousekeeping({
  pools,
  pulse,
  operator,
  failures,
  contract,
  log,
  historyDays,
  eventsKept,
  eventsArchiveDir,
}: Pick<Config, 'historyDays' | 'eventsKept' | 'eventsArchiveDir'> & {
  pools: Pick<Pools, 'access' | 'outbound' | 'ingest'>
  pulse: Pick<Pulse, 'now'>
  operator: { prune(): Promise<unknown> }
  failures: Pick<TaskFailures, 'of'>
  contract: Contract
  log: Pick<Logger, 'info'>
}): { close(): Promise<void> } {
  const onError = failures.of('housekeeping', everyMs)
  const closing = new AbortController()
  let retaining: Promise<unknown> = Promise.resolve()
  const retain = () => {
    if (!eventsKept) return
    const options = {
      pool: pools.ingest,
      contract,
      kept: eventsKept,
      archiveDir: eventsArchiveDir,
      signal: closing.signal,
      onDeleted: ({ last: seq, file, rows }: DeletedBlock) =>
        log.info({ seq, file, rows }, 'deleted events that are no longer kept'),
    }
    retaining = retaining
      .then(() => retainEvents(options))
      .catch(error => closing.signal.aborted || onError(error))
  }
  // Also at the start: the database may have been restored from an older backup.
  retain()
  const timer = setInterval(() => {
    deleteOldCodes(pools.access).catch(onError)
    deleteEndedAddressLimits(pools.access).catch(onError)
    pruneAccounts(pools.access).catch(onError)
    pruneDeliveryLog(pools.outbound, pulse.now()).catch(onError)
    deleteOldBatchIds(pools.ingest).catch(onError)
    deleteOldDeadLetters(pools.ingest).catch(onError)
    deleteOldHeartbeats(pools.ingest).catch(onError)
    deleteOldSnapshots(pools.ingest, limits.snapshotDays).catch(onError)
    deleteOldChanges(pools.ingest, limits.changeDays).catch(onError)
    deleteOldHistory(pools.ingest, historyDays).catch(onError)
    deleteOldPrices(pools.ingest, historyDays).catch(onError)
    operator.prune().catch(onError)
    retain()
  }, everyMs)
  return {
    async close() {
      clearInterval(timer)
      closing.abort()
      await retaining
    },
  }
}
