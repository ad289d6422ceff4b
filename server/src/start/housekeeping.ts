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
import { failExpiredDeliveries } from '../webhooks/queue.ts'

const everyMs = 3_600_000

/** Deletes expired rows once an hour. */
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
  retention: RetentionOptions | undefined
}): { close(): void } {
  const onError = failures.of('housekeeping', everyMs)
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
    if (retention) {
      retainEvents(retention).catch(onError)
      failExpiredDeliveries(pools.outbound, pulse.now()).catch(onError)
    }
  }, everyMs)
  return { close: () => clearInterval(timer) }
}
