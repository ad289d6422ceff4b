import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isLong } from '../support/tier.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { runFault } from './support/fault.ts'
import { type FaultServer, startFaultServer } from './support/fault-server.ts'
import { type Load, startLoad } from './support/load.ts'

/** How often each fault occurs, and how long it lasts. */
const rounds = isLong ? 2 : 1
const lastsMs = isLong ? 7_000 : 2_500

const skip = process.platform === 'win32' && 'Windows has no signal that hangs a process'

let cluster: Cluster
let server: FaultServer
let load: Load
before(async () => {
  if (skip) return
  cluster = await startCluster()
  server = await startFaultServer(cluster.url)
  load = startLoad(server.served, server.key)
})
after(async () => {
  await cluster?.resume()
  await server?.close()
  await cluster?.remove()
})

for (let round = 1; round <= rounds; round += 1) {
  test(`requests are 503 only as long as the database is stopped (${round})`, {
    skip,
  }, async t => {
    await runFault(
      t,
      { server, load },
      { begin: cluster.stop, end: cluster.start, lastsMs, isUnready: true, isTotal: true },
    )
  })

  test(`no request waits for a database that hangs (${round})`, { skip }, async t => {
    await runFault(
      t,
      { server, load },
      { begin: cluster.hang, end: cluster.resume, lastsMs, isUnready: true, isTotal: true },
    )
  })

  test(`requests succeed at once after a restart of the database (${round})`, { skip }, async t => {
    const restart = async () => {
      await cluster.stop()
      await cluster.start()
    }
    await runFault(t, { server, load }, { begin: restart, end: async () => {}, lastsMs: 0, isUnready: false })
  })

  test(`new connections replace those that the database ends (${round})`, { skip }, async t => {
    const fault = { begin: cluster.endConnections, end: async () => {}, lastsMs: 0, isUnready: false }
    await runFault(t, { server, load }, fault)
  })

  for (const evicts of [false, true]) {
    const name = evicts
      ? 'while others hold every connection, no request waits for one'
      : 'while others hold all other connections, requests use the pooled ones'
    test(`${name} (${round})`, { skip }, async t => {
      let releaseConnections = async () => {}
      const begin = async () => {
        releaseConnections = await cluster.exhaust({ evicts })
      }
      const fault = { begin, end: () => releaseConnections(), lastsMs, isUnready: evicts }
      const without = { begin: async () => {}, end: async () => {}, lastsMs, isUnready: false }
      const rejectedWithout = evicts ? [] : await runFault(t, { server, load }, without)
      const rejected = await runFault(t, { server, load }, fault)
      // If a busy machine makes the database late even without a fault, this proves nothing.
      if (!evicts && rejectedWithout.length === 0) assert.deepEqual(rejected, [])
    })
  }
}

test('after all faults nothing acknowledged is lost or doubled', {
  skip,
}, async t => {
  const acknowledged = await load.stop()
  await server.assertNothingLost(acknowledged)
  const unconfirmed = acknowledged.codes.filter(({ redeemed }) => redeemed === 0).length
  t.diagnostic(
    `${acknowledged.batches.length} batches, ${acknowledged.codes.length} codes, ${load.responses.length} responses`,
  )
  t.diagnostic(`${unconfirmed} codes were used although every response was lost`)
})
