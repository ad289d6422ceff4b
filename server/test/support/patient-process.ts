/**
 * A server in a process of its own, as `chancery serve --json` is one, that waits for its database and its Redis like a test server.
 * TEST_TIMINGS, as JSON, overrides times.
 */
import { readConfig, startServer } from '../../src/index.ts'
import { patientTimings } from './test-server.ts'

const { TEST_TIMINGS: timings = '{}', ...env } = process.env
const server = await startServer(readConfig(env), { ...patientTimings, ...JSON.parse(timings) })
console.log(JSON.stringify({ public: server.publicUrl, operator: server.operatorUrl }))
process.once('SIGTERM', () => void server.close())
await server.closed
process.exit()
