import type { FastifyInstance } from 'fastify'
import { sql } from '../store/database.ts'
import type { OperatorContext } from './context.ts'

interface StatusRow {
  seq: number
  world_version: number
  world_changed_at: string | null
  ranked_version: number
  last_batch: { id: string; applied_at: string; facts: number; events: number } | null
}

/** How the service is, for people and for Prometheus. */
export function statusRoutes(app: FastifyInstance, { pools, metrics, version }: OperatorContext): void {
  app.get('/status', async () => {
    const row = await pools.ingest.first<StatusRow>(sql`
      select w.seq, w.world_version, w.world_changed_at, r.world_version as ranked_version,
        (select json_build_object('id', b.id, 'applied_at', b.applied_at, 'facts', b.facts, 'events', b.events)
         from chancery_secret.batch b order by b.applied_at desc, b.last_seq desc limit 1) as last_batch
      from chancery_world.pulse w, chancery_world.ranking_round r`)
    return { version, ...row }
  })

  app.get('/metrics', async (_req, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}
