/**
 * A server in a process of its own, with the timeouts of a test server. TEST_TIMINGS, as JSON, overrides them. Forked by
 * server-process.ts, it reports over IPC; else it prints its addresses, as `chancery serve --json` does.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readConfig, startServer } from '../../src/index.ts'
import { longTimeouts } from './test-server.ts'

/** Measured after a garbage collection. */
function usage() {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  const { rss, heapUsed, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    residentBytes: rss,
    /** Heap and buffers. */
    usedBytes: heapUsed + external,
    /** Processor time of the process so far. */
    cpuMs: (user + system) / 1_000,
  }
}

export type Usage = ReturnType<typeof usage>

const { TEST_TIMINGS: timings = '{}', ...env } = process.env
const server = await startServer(readConfig(env), { ...longTimeouts, ...JSON.parse(timings) })
const addresses = { public: server.publicUrl, operator: server.operatorUrl }
if (process.send) {
  process.send(addresses)
  process.on('message', message => {
    if (message === 'usage') process.send?.({ usage: usage() })
    else void server.close().then(() => process.disconnect())
  })
} else {
  console.log(JSON.stringify(addresses))
  process.once('SIGTERM', () => void server.close())
  await server.closed
  process.exit()
}
