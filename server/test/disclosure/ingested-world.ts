import assert from 'node:assert/strict'
import { bases, type Contract } from '@chancery/contract'
import { runRankingRound } from '../../src/rankings/round.ts'
import { createPool, type Sql, sql } from '../../src/store/database.ts'
import { openStream, type StreamReader } from '../events/stream-reader.ts'
import { readStatus } from '../support/read-status.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { addActiveEndpoint } from '../webhooks/owner.ts'
import type { FactBatch } from './secrets.ts'
import { viewers } from './viewers.ts'

/** A server with a key for each viewer, a webhook endpoint and a stream that receive all events. */
export interface World {
  chancery: TestServer
  receiver: WebhookReceiver
  stream: StreamReader
  keys: Map<string, string>
  /** When each public batch was logged, by this server's clock. */
  times: string[]
  close(): Promise<void>
}

export async function startWorld({ profile }: Contract): Promise<World> {
  const chancery = await startTestServer({ CHANCERY_WEBHOOKS_ALLOW_LOCAL: 'true' }, { profile })
  const receiver = await startWebhookReceiver()
  await addActiveEndpoint(chancery, receiver.url('/all'))
  const stream = await openStream(`${chancery.url}${bases.canonical}/events/stream`)
  await stream.upToDate()
  const close = async () => {
    stream.close()
    await chancery.close()
    await receiver.close()
  }
  return { chancery, receiver, stream, keys: await makeKeys(chancery), times: [], close }
}

export async function ingestWorld(chancery: TestServer, groups: FactBatch[][]): Promise<string[]> {
  const times: string[] = []
  for (const [index, batches] of groups.entries()) {
    if (index === Math.floor(groups.length / 2)) await endDay(chancery.databaseUrl, 2)
    for (const { facts, isSecret } of batches) {
      const before = await changedAt(chancery)
      const outcome = await chancery.ingest(facts, { waits: false })
      const now = await changedAt(chancery)
      if (isSecret)
        assert.deepEqual([now, outcome.events], [before, 0], 'a secret changes no time and emits no event')
      else times.push(String(now))
    }
  }
  await endDay(chancery.databaseUrl, 1)
  await rank(chancery)
  return times
}

/** Ends the day as if it were some days ago, so that histories have a point of all facts so far. */
export async function endDay(databaseUrl: string, daysAgo: number): Promise<void> {
  const pool = createPool({
    target: { connectionString: databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
  const round = async (isDone: Sql) => {
    while (
      !(await pool.first(
        sql`select from chancery_world.ranking_round r, chancery_world.pulse p where ${isDone}`,
      ))
    )
      await runRankingRound(pool).catch(() => undefined)
  }
  try {
    await round(sql`r.world_version = p.world_version`)
    await pool.rows(sql`update chancery_world.ranking_round set day = current_date - ${daysAgo}::integer`)
    await round(sql`r.day = current_date`)
  } finally {
    await pool.close()
  }
}

/** The ranking round, at once: a server on its own makes pauses between rounds. */
async function rank(server: TestServer): Promise<void> {
  const pool = createPool({
    target: { connectionString: server.databaseUrl },
    role: 'chancery_ingest',
    connectionsMax: 1,
  })
  try {
    for (;;) {
      await runRankingRound(pool, { updatedBelow: 0 }).catch(() => undefined)
      const { world_version, ranked_version } = await readStatus(server)
      if (world_version === ranked_version) return
    }
  } finally {
    await pool.close()
  }
}

async function changedAt(chancery: TestServer): Promise<string | null> {
  return (await chancery.read<{ data: { world_changed_at: string | null } }>('/game')).data.world_changed_at
}

async function makeKeys(chancery: TestServer): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const { name, player, scopes } of viewers) {
    if (player) keys.set(name, (await chancery.makeKey({ player_id: player }, [...scopes])).key)
  }
  return keys
}

/** What moves when something public does. */
export async function statusOf(chancery: TestServer) {
  const { seq, world_version, world_changed_at } = await readStatus(chancery)
  return { seq, world_version, world_changed_at }
}
