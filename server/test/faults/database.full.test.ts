import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isLong } from '../support/tier.ts'
import { assertWhole } from './support/assert-whole.ts'
import { type Cluster, startCluster } from './support/cluster.ts'
import { weather } from './support/fault.ts'
import { type Load, startLoad } from './support/load.ts'
import { type Office, openOffice } from './support/office.ts'

/** Each fault comes so often, and lasts so long. */
const rounds = isLong ? 2 : 1
const lastsMs = isLong ? 7_000 : 2_500

const skip = process.platform === 'win32' && 'Windows has no signal that hangs a process'

let cluster: Cluster
let office: Office
let load: Load
before(async () => {
  if (skip) return
  cluster = await startCluster()
  office = await openOffice(cluster.url)
  load = startLoad(office.served, office.key)
})
after(async () => {
  await cluster?.resume()
  await office?.close()
  await cluster?.remove()
})

for (let round = 1; round <= rounds; round += 1) {
  test(`a database that is stopped is away for as long as it is, and not longer (${round})`, {
    skip,
  }, async t => {
    await weather(
      t,
      { office, load },
      { begin: cluster.stop, end: cluster.start, lastsMs, isDark: true, isMute: true },
    )
  })

  test(`a database that hangs keeps nobody waiting (${round})`, { skip }, async t => {
    await weather(
      t,
      { office, load },
      { begin: cluster.hang, end: cluster.resume, lastsMs, isDark: true, isMute: true },
    )
  })

  test(`a database that is started anew is back at once (${round})`, { skip }, async t => {
    const restart = async () => {
      await cluster.stop()
      await cluster.start()
    }
    await weather(t, { office, load }, { begin: restart, end: async () => {}, lastsMs: 0, isDark: false })
  })

  test(`a database that ends all connections is asked over others (${round})`, { skip }, async t => {
    const fault = { begin: cluster.endConnections, end: async () => {}, lastsMs: 0, isDark: false }
    await weather(t, { office, load }, fault)
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
      const fault = { begin, end: () => giveBack(), lastsMs, isDark: evicts }
      const without = { begin: async () => {}, end: async () => {}, lastsMs, isDark: false }
      const refusedWithout = evicts ? [] : await weather(t, { office, load }, without)
      const refused = await weather(t, { office, load }, fault)
      // A machine so busy that its database is late without a fault says nothing of one.
      if (!evicts && refusedWithout.length === 0) assert.deepEqual(refused, [])
    })
  }
}

test('after all of it nothing that was acknowledged is lost, and nothing happened twice', {
  skip,
}, async t => {
  const told = await load.stop()
  await assertWhole(office, told)
  const burned = told.codes.filter(({ redeemed }) => redeemed === 0).length
  t.diagnostic(`${told.batches.length} batches, ${told.codes.length} codes, ${load.asked.length} answers`)
  t.diagnostic(`${burned} codes were used without anybody being told`)
})
