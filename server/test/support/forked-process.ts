// A server in a process of its own, so that its output, memory and files are its own. Started by server-process.ts.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readConfig, startServer } from '../../src/index.ts'
import type { Usage } from './server-process.ts'
import { patientTimings } from './test-server.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function usage(): Usage {
  collect()
  collect()
  const { rss, heapUsed, external } = process.memoryUsage()
  return {
    residentBytes: rss,
    usedBytes: heapUsed + external,
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  }
}

const { SERVER_TIMINGS: timings = '{}', ...env } = process.env
const server = await startServer(readConfig(env), { ...patientTimings, ...JSON.parse(timings) })
process.send?.({ publicUrl: server.publicUrl, operatorUrl: server.operatorUrl })
process.on('message', message => {
  if (message === 'usage') process.send?.({ usage: usage() })
  else void server.close().then(() => process.disconnect())
})
