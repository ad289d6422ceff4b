import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../../src/store/migrations.ts'
import { nation } from '../ingest/facts.ts'
import { createStalenessCheck } from '../many/staleness.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/until.ts'
import { metricsOf } from '../webhooks/metrics-of.ts'
import {
  type DatabaseServer,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './replicated-postgres.ts'

/** A busy machine may stop a process for longer than a real one waits for its database. */
const timeoutFactor = 5
const trustedMs = 900 * timeoutFactor
const lagSeconds = 2
/** No response is older: a process trusts what it has read of the primary, and a replica within its bound. */
const staleMs = Math.max(trustedMs, lagSeconds * 1_000)

interface Service {
  postgres: ReplicatedPostgres
  replicas: DatabaseServer[]
  proxy: TcpProxy
  /** Two processes. Facts and operations go to the first. */
  servers: [TestServer, TestServer]
}

/** Two processes that reach the primary through a proxy, as through an address that a failover moves. */
async function startService(t: TestContext, replicaCount: number, lagMax = lagSeconds): Promise<Service> {
  const postgres = await startReplicatedPostgres(t)
  await migrate({ connectionString: postgres.primary.url })
  const replicas: DatabaseServer[] = []
  for (let count = 0; count < replicaCount; count += 1) replicas.push(await postgres.addReplica())
  const proxy = await startTcpProxy(t, postgres.primary.url)
  const env = {
    CHANCERY_READ_DATABASE_URL: replicas.map(({ url }) => url).join(' '),
    CHANCERY_REPLICA_LAG_SECONDS: String(lagMax),
  }
  const start = async () => {
    const timings = { databaseTimeoutFactor: timeoutFactor, rankingPauseMs: 5 }
    const server = await startTestServer(env, { databaseUrl: proxy.url, timings })
    t.after(() => server.close())
    return server
  }
  return { postgres, replicas, proxy, servers: [await start(), await start()] }
}

const nameOf = ({ url }: DatabaseServer) => `${decodeURIComponent(new URL(url).host)}/postgres`

async function isUp(server: TestServer, replica: DatabaseServer): Promise<boolean> {
  const metrics = await metricsOf(server)
  return metrics.get(`chancery_replica_up{replica="${nameOf(replica)}"}`) === 1
}

async function readsOf(server: TestServer, source: string): Promise<number> {
  return (await metricsOf(server)).get(`chancery_database_reads_total{server="${source}"}`) ?? 0
}

const untilUp = (server: TestServer, replica: DatabaseServer, is: boolean) =>
  until(async () => (await isUp(server, replica)) === is, `the replica is ${is ? '' : 'not '}read`)

const nameNow = async (server: TestServer) =>
  (await server.read<{ data: { nation_name: string } }>('/nations/n1')).data.nation_name

/** Changes a name in one process and reads it in the other, until `work` has ended. Every response has to be 200. */
async function whileChanging({ servers: [writer, reader] }: Service, work: () => Promise<void>) {
  const staleness = createStalenessCheck()
  let isDone = false
  let turn = 0
  let responses = 0
  const change = async () => {
    while (!isDone) {
      turn += 1
      await writer.ingest([nation('n1', { nation_name: `Turn ${turn}` })], { waits: false })
      staleness.acknowledge()
      await sleep(20)
    }
  }
  const read = async (path: string, nameIn: (body: never) => string) => {
    while (!isDone) {
      const sentAt = performance.now()
      const name = nameIn(await reader.read(path))
      staleness.check(Number(name.slice('Turn '.length)), sentAt)
      responses += 1
      await sleep(5)
    }
  }
  await writer.ingest([nation('n1', { nation_name: 'Turn 0' })])
  await Promise.all([
    change(),
    read('/nations/n1', (body: { data: { nation_name: string } }) => body.data.nation_name),
    read('/nations?page=1', (body: { data: [{ nation_name: string }] }) => body.data[0].nation_name),
    work().finally(() => {
      isDone = true
    }),
  ])
  assert.ok(responses > 20, `${responses} responses`)
  assert.ok(staleness.oldestMs() < staleMs, `a response was outdated for ${staleness.oldestMs()} ms`)
}

test('public reads come from a replica, private ones from the primary; a lagging one is left and comes back', async t => {
  const service = await startService(t, 1)
  const [replica] = service.replicas
  const [writer, reader] = service.servers
  assert.ok(replica)
  await writer.ingest([nation('n1', { player: 'p1' })])
  const { key, id } = await writer.makeKey({ nation_id: 'n1' })
  await untilUp(reader, replica, true)

  const paths = ['/nations', '/nations/n1', '/rankings', '/nations?search=nat', '/events', '/game']
  const readAll = async () => {
    const before = await readsOf(reader, 'primary')
    for (const path of paths) await reader.read(path)
    return (await readsOf(reader, 'primary')) === before
  }
  // A busy machine may let it lag for a moment.
  await until(readAll, 'all of them are read from the replica')
  assert.ok((await readsOf(reader, nameOf(replica))) >= paths.length)
  await reader.read('/me/nation', { key })
  const sessions = await replica.query<{ name: string }>(
    "select distinct application_name as name from pg_stat_activity where application_name like 'chancery %' order by name",
  )
  assert.deepEqual(
    sessions.map(({ name }) => name),
    ['chancery chancery_public', 'chancery replica'],
  )

  await whileChanging(service, async () => {
    await replica.set({ recovery_min_apply_delay: '10s' })
    await untilUp(reader, replica, false)
    // Of a nation that the replica does not have, and with a key that it has as valid.
    await writer.ingest([nation('n2')], { waits: false })
    await reader.read('/nations/n2')
    assert.equal((await writer.operate('POST', `/keys/${id}/revoke`)).status, 200)
    await until(async () => (await reader.get('/nations', { key })).status === 401, 'the key is rejected')
    await sleep(1_000)
    await replica.set({ recovery_min_apply_delay: '0' })
    await untilUp(reader, replica, true)
    await sleep(1_000)
  })
})

test('what a replica within the bound does not have yet is found', async t => {
  const service = await startService(t, 1)
  const [replica] = service.replicas
  const [writer, reader] = service.servers
  assert.ok(replica)
  await writer.ingest([nation('n0')])
  await replica.set({ recovery_min_apply_delay: '500ms' })
  await untilUp(reader, replica, true)
  for (let number = 1; number <= 10; number += 1) {
    const { last_seq } = await writer.ingest([nation(`n${number}`)], { waits: false })
    await reader.read(`/nations/n${number}`)
    // A cursor beyond the end of the replica's log.
    await reader.read(`/events?after=${last_seq}`)
  }
  assert.ok((await readsOf(reader, nameOf(replica))) > 0)
})

test('a redacted text is not returned, though a replica within the bound still has it', async t => {
  const service = await startService(t, 1, 60)
  const [replica] = service.replicas
  const [writer, reader] = service.servers
  assert.ok(replica)
  await writer.ingest([nation('n1', { motto: 'a canary' })])
  await until(async () => (await mottoOf(replica)) === 'a canary', 'the replica has it')
  await replica.set({ recovery_min_apply_delay: '20s' })
  await untilUp(reader, replica, true)
  const text = async () => (await reader.get('/nations/n1')).text()
  assert.match(await text(), /a canary/)
  await writer.ingest([{ op: 'redact', resource: 'nation', id: 'n1', data: { motto: null } }], {
    waits: false,
  })
  await until(async () => !(await text()).includes('a canary'), 'it is gone')
  assert.equal(await mottoOf(replica), 'a canary')
})

const mottoOf = async (server: DatabaseServer) =>
  (await server.query<{ motto: string }>('select motto from chancery_world.nation'))[0]?.motto

test('no request fails when a replica is killed or stopped; the next one is read, and the first again when it is back', async t => {
  const service = await startService(t, 2)
  const [, reader] = service.servers
  const { replicas } = service
  const untilAllUp = async () => {
    for (const replica of replicas) await untilUp(reader, replica, true)
  }
  await whileChanging(service, async () => {
    for (const replica of replicas) {
      await untilAllUp()
      await replica.kill()
      await untilUp(reader, replica, false)
      await replica.start()
      await untilAllUp()
      await replica.signal('SIGSTOP')
      await untilUp(reader, replica, false)
      await replica.signal('SIGCONT')
    }
    await untilAllUp()
    for (const replica of replicas) await replica.kill()
    for (const replica of replicas) await untilUp(reader, replica, false)
    const before = await readsOf(reader, 'primary')
    await until(async () => (await readsOf(reader, 'primary')) > before, 'the primary is read')
    for (const replica of replicas) await replica.start()
    await untilAllUp()
  })
})

test('after a promotion nothing of the lost state is returned, and a replica of the lost primary is not read', async t => {
  const service = await startService(t, 2)
  const { postgres, proxy, replicas, servers } = service
  const [writer, reader] = servers
  const [promoted, other] = replicas
  assert.ok(promoted && other)
  const rename = (name: string) => writer.ingest([nation('n1', { nation_name: name })], { waits: false })
  await writer.ingest([nation('n1', { nation_name: 'First', player: 'p1' })])
  const { key, id } = await writer.makeKey({ nation_id: 'n1' })
  await untilUp(reader, promoted, true)
  await untilUp(reader, other, true)

  // The new primary lacks what the old one acknowledged last.
  await promoted.set({ primary_conninfo: '' })
  await until(
    async () => (await promoted.query('select from pg_stat_wal_receiver')).length === 0,
    'the replica follows no server',
  )
  // The log of the other replica shall be longer than that of the new primary.
  for (let count = 0; count < 16; count += 1)
    await postgres.primary.query(`select pg_logical_emit_message(false, 'test', repeat('x', 1000000))`)
  let lostSeq: number | null = null
  for (let count = 0; count < 3; count += 1) lostSeq = (await rename(`Lost ${count}`)).last_seq
  await until(async () => (await nameNow(reader)) === 'Lost 2', 'the last state is returned')
  await nameNow(reader)
  await until(
    async () =>
      (await other.query<{ name: string }>('select nation_name as name from chancery_world.nation'))[0]
        ?.name === 'Lost 2',
    'the other replica has the last state',
  )

  await postgres.primary.kill()
  proxy.routeTo(promoted.url)
  proxy.restore()
  // Not promoted yet: it is not taken for the primary.
  await until(async () => (await reader.get('/nations/n1')).status === 503, 'there is no primary')
  assert.equal((await reader.get('/nations/n1', { key })).status, 503)
  await promoted.query('select pg_promote()')
  await until(async () => (await reader.get('/nations/n1')).status === 200, 'the new primary is read')
  const nameKept = async () => {
    const name = await nameNow(reader)
    assert.doesNotMatch(name, /Lost/)
    return name
  }
  const isWritten = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    )
  await until(() => isWritten(rename('Kept')), 'the new primary is written')
  for (let count = 0; count < 3; count += 1) {
    await rename(`Kept ${count}`)
    await until(async () => (await nameKept()) === `Kept ${count}`, 'the new state is returned')
    await nameKept()
  }
  assert.equal((await writer.operate('POST', `/keys/${id}/revoke`)).status, 200)
  await until(async () => (await reader.get('/nations', { key })).status === 401, 'the key is rejected')

  assert.equal((await reader.get(`/events?after=${lostSeq}`)).status, 410)

  // It responds, and its log is longer than that of the new primary.
  for (let count = 0; count < 250; count += 1) {
    assert.equal(await nameKept(), 'Kept 2')
    await sleep(20)
  }
  assert.equal(await isUp(reader, other), false)
  assert.equal(await isUp(reader, promoted), false, 'it is not a replica any more')

  await other.copyFrom(promoted)
  await untilUp(reader, other, true)
  await whileChanging(service, () => sleep(1_000))
})

test('a server that is no replica of the primary is never read', async t => {
  const postgres = await startReplicatedPostgres(t)
  const other = await startReplicatedPostgres(t)
  for (const { primary } of [postgres, other]) await migrate({ connectionString: primary.url })
  const otherReplica = await other.addReplica()
  const server = await startTestServer(
    { CHANCERY_READ_DATABASE_URL: `${other.primary.url},${otherReplica.url}` },
    { databaseUrl: postgres.primary.url, facts: [nation('n1')] },
  )
  t.after(() => server.close())
  await sleep(2_000)
  assert.equal(await nameNow(server), 'Nation n1')
  assert.equal(await isUp(server, other.primary), false)
  assert.equal(await isUp(server, otherReplica), false)
})
