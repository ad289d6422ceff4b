import { operatorOperations, profileDigest } from '@chancery/contract'
import type { OperatorContext } from './context.ts'
import type { DefineOperatorRoute } from './define-operator-route.ts'
import { readWorldState } from './world-state.ts'

/** How the service is, for people and for Prometheus. */
export function statusRoutes(define: DefineOperatorRoute, context: OperatorContext): void {
  const { contract, pools, metrics, webhookQueue, version, migration } = context

  const digest = profileDigest(contract.profile)

  define(operatorOperations.statusGet, async () => {
    const world = await readWorldState(pools.ingest)
    const queue = await webhookQueue()
    return {
      body: {
        version,
        game: contract.profile.name,
        profile_digest: await digest,
        migration,
        ...world,
        ranking_lag_versions: Math.max(0, world.world_version - world.ranked_version),
        webhook_queue_depth: queue?.depth ?? null,
        webhook_oldest_undelivered_seconds: queue?.oldestSeconds ?? null,
        webhook_fan_out_lag_events: queue?.lagEvents ?? null,
      },
    }
  })

  define(operatorOperations.metricsGet, async () => ({
    contentType: metrics.registry.contentType,
    body: await metrics.registry.metrics(),
  }))
}
