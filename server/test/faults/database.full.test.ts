import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isLong } from '../support/tier.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { runFault } from './support/fault.ts'
import { type FaultServer, startFaultServer } from './support/fault-server.ts'
import { type Load, startLoad } from './support/load.ts'
import { assertNothingLost } from './support/load-nothing-lost.ts'

/** Each fault comes so often, and lasts so long. */
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
  test(`a database that is stopped is away for as long as it is, and not longer (${round})`, {
    skip,
  }, async t => {
    await runFault(
      t,
      { server, load },
      { begin: cluster.stop, end: cluster.start, lastsMs, isUnready: true, isUnanswerable: true },
    )
  })

  test(`a database that hangs keeps nobody waiting (${round})`, { skip }, async t => {
    await runFault(
      t,
      { server, load },
      { begin: cluster.hang, end: cluster.resume, lastsMs, isUnready: true, isUnanswerable: true },
    )
  })

  test(`a database that is started anew is back at once (${round})`, { skip }, async t => {
    const restart = async () => {
      await cluster.stop()
      await cluster.start()
    }
    await runFault(t, { server, load }, { begin: restart, end: async () => {}, lastsMs: 0, isUnready: false })
  })

  test(`a database that ends all connections is asked over others (${round})`, { skip }, async t => {
    const fault = { begin: cluster.endConnections, end: async () => {}, lastsMs: 0, isUnready: false }
    await runFault(t, { server, load }, fault)
  })

  for (const evicts of [false, true]) {
    const name = evicts
      ? 'while others hold every connection nobody waits for one'
      : 'while others hold all other connections, those that are held are used'
    test(`${name} (${round})`, { skip }, async t => {
      let giveBack = async () => {}
      const begin = async () => {
        giveBack = await cluster.exhaust({ evicts })
      }
      const fault = { begin, end: () => giveBack(), lastsMs, isUnready: evicts }
      const without = { begin: async () => {}, end: async () => {}, lastsMs, isUnready: false }
      const refusedWithout = evicts ? [] : await runFault(t, { server, load }, without)
      const refused = await runFault(t, { server, load }, fault)
      // A machine so busy that its database is late without a fault says nothing of one.
      if (!evicts && refusedWithout.length === 0) assert.deepEqual(refused, [])
    })
  }
}

test('after all of it nothing that was acknowledged is lost, and nothing happened twice', {
  skip,
}, async t => {
  const told = await load.stop()
  await assertNothingLost(server, told)
  const burned = told.codes.filter(({ redeemed }) => redeemed === 0).length
  t.diagnostic(`${told.batches.length} batches, ${told.codes.length} codes, ${load.asked.length} answers`)
  t.diagnostic(`${burned} codes were used without anybody being told`)
})
