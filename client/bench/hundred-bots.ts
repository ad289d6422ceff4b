/**
 * `node client/bench/hundred-bots.ts`: a hundred busy bots for ten minutes of simulated time over one server, once with
 * the client and once without its care. Prints one JSON document. `--bots`, `--minutes` and `--reads` (a minute) set other numbers.
 */
import { parseArgs } from 'node:util'
import { createWorld, linesOf } from '@chancery/simulator'
import { startTestServer } from '../../server/test/support/test-server.ts'
import { runBots } from '../test/support/bots.ts'

const { values } = parseArgs({
  options: {
    bots: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    reads: { type: 'string', default: '240' },
  },
})

const chancery = await startTestServer()
try {
  const endsAt = Date.now()
  const world = createWorld({ nations: 300, days: 60, seed: 5, endsAt: new Date(endsAt).toISOString() })
  await chancery.send([...world.history()].map(linesOf).join(''))
  await chancery.ingest([])
  const options = {
    url: chancery.url,
    bots: Number(values.bots),
    minutes: Number(values.minutes),
    readsPerMinute: Number(values.reads),
    limit: 120,
  }
  let ticks = 0
  const onMinute = async () => {
    ticks += 1
    await chancery.send(linesOf(world.tick(new Date(endsAt + ticks * 60_000).toISOString())))
  }
  const withClient = await runBots({ ...options, onMinute })
  const without = await runBots({ ...options, onMinute, isClientUsed: false })
  console.log(JSON.stringify({ options: { ...options, url: undefined }, withClient, without }, null, 2))
} finally {
  await chancery.close()
}
