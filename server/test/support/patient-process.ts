/** A server in a process of its own, as `chancery serve --json` is one, that waits for its database and its Redis like a test server. */
import { readConfig, startServer } from '../../src/index.ts'
import { patient } from './test-server.ts'

const server = await startServer(readConfig(process.env), patient)
console.log(JSON.stringify({ public: server.publicUrl, operator: server.operatorUrl }))
process.once('SIGTERM', () => void server.close())
await server.closed
process.exit()
