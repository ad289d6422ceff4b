import { limits } from '@chancery/contract'
import { pruneAccounts } from '../account/account-log.ts'
import { deleteOldChanges } from '../changes/store.ts'
import { type RetentionOptions, retainEvents } from '../events/retention.ts'
import { deleteOldBatchIds, deleteOldDeadLetters } from '../ingest/dead-letters.ts'
import { deleteOldHeartbeats } from '../ingest/heartbeats.ts'
import { deleteEndedAddressLimits } from '../limits/address-limits.ts'
import { deleteOldHistory } from '../resources/history/record-day.ts'
import { deleteOldPrices } from '../resources/market/history.ts'
import { deleteOldSnapshots } from '../snapshots/files.ts'
import type { Pools } from '../store/pools.ts'
import type { Pulse } from '../store/pulse.ts'
import type { TaskFailures } from '../telemetry/task-failures.ts'
import { deleteOldCodes } from '../verification/store.ts'
import { pruneDeliveryLog } from '../webhooks/delivery-log.ts'

const everyMs = 3_600_000

/** Deletes expired rows once an hour. `close` waits for the transaction in progress. */
export function startHousekeeping({
  pools,
  pulse,
  operator,
  failures,
  historyDays,
  retention,
}: {
  pools: Pick<Pools, 'access' | 'outbound' | 'ingest'>
  pulse: Pick<Pulse, 'now'>
  operator: { prune(): Promise<unknown> }
  failures: Pick<TaskFailures, 'of'>
  historyDays: number
  /** Undefined: all events are kept. */
  retention: Omit<RetentionOptions, 'signal'> | undefined
}): { close(): Promise<void> } {
  const onError = failures.of('housekeeping', everyMs)
  const closing = new AbortController()
  let retaining = Promise.resolve()
  const retain = () => {
    if (!retention) return
    const options = { ...retention, signal: closing.signal }
    retaining = retaining.then(() => retainEvents(options)).catch(onError)
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
