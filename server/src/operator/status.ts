import { setTimeout as sleep } from 'node:timers/promises'
import { isStatusMemberFor, operatorOperations, profileDigest } from '@chancery/contract'
import type { Gauge } from '@prometheus-io/client'
import { countLimitRequests } from '../access/limit-increase-requests.ts'
import { isUnavailable } from '../store/database.ts'
import type { Pulse } from '../store/pulse.ts'
import type { DefineOperatorOperation, OperatorContext } from './define-operator-operation.ts'
import { readWorldState } from './world-state.ts'

/** How long the status waits for a slow database. */
const waitMaxMs = 2_000

/** Status and metrics of the service. */
export function statusRoutes(define: DefineOperatorOperation, context: OperatorContext): void {
  const { contract, pools, pulse, metrics, webhookQueue, version, migration } = context

  const digest = profileDigest(contract.profile)
  const readWorld = boundRead(pulse, async () => {
    const world = await readWorldState(pools.ingest)
    return {
      ...world,
      ranking_lag_versions: Math.max(0, world.world_version - world.ranked_version),
      limit_requests: await countLimitRequests(pools.access),
    }
  })
  const readQueue = boundRead(pulse, webhookQueue)

  define(operatorOperations.statusGet, async ({ caller }) => {
    const [world, queue] = await Promise.all([readWorld(), readQueue()])
    const isShared = await readGauge(metrics.limitsShared)
    const status = {
      version,
      game: contract.profile.name,
      profile_digest: await digest,
      migration,
      database_up: !pulse.isUnresponsive() && world !== undefined,
      ...world,
      webhook_queue_depth: queue?.depth ?? null,
      webhook_oldest_undelivered_seconds: queue?.oldestSeconds ?? null,
      webhook_fan_out_lag_events: queue?.lagEvents ?? null,
      webhook_endpoints: queue
        ? Object.assign(
            { unconfirmed: 0, active: 0, disabled: 0 },
            ...queue.endpoints.map(({ status, count }) => ({ [status]: count })),
          )
        : null,
      streams_open: (await readGauge(metrics.streamsOpen)) ?? 0,
      limits_shared: isShared === undefined ? null : isShared === 1,
    }
    const shown = Object.entries(status).filter(([member]) => isStatusMemberFor(caller.roles, member))
    return { body: Object.fromEntries(shown) }
  })

  define(operatorOperations.metricsGet, async () => ({
    contentType: metrics.registry.contentType,
    body: await metrics.registry.metrics(),
  }))
}

/** The value of a gauge without labels; undefined while it has none. */
const readGauge = async (gauge: Gauge) => (await gauge.get()).values[0]?.value

/**
 * Reads something from the database; undefined where it does not respond, as soon as that is known. While a read is overdue no other
 * begins: those that a hanging database keeps would take all connections.
 */
function boundRead<T>(
  pulse: Pick<Pulse, 'isUnresponsive' | 'onHealthChange'>,
  read: () => Promise<T>,
): () => Promise<T | undefined> {
  let overdue: Promise<unknown> | undefined
  return async () => {
    if (overdue || pulse.isUnresponsive()) return undefined
    const { promise: unresponsive, resolve } = Promise.withResolvers<undefined>()
    const unsubscribe = pulse.onHealthChange(isUnresponsive => isUnresponsive && resolve(undefined))
    const reading = read()
    let isDone = false
    try {
      const done = await Promise.race([
        reading.finally(() => {
          isDone = true
        }),
        unresponsive,
        sleep(waitMaxMs, undefined, { ref: false }),
      ])
      if (!isDone) {
        const ended = reading
          .catch(() => undefined)
          .finally(() => {
            if (overdue === ended) overdue = undefined
          })
        overdue = ended
      }
      return done
    } catch (error) {
      if (isUnavailable(error)) return undefined
      throw error
    } finally {
      unsubscribe()
    }
  }
}
