// A server in a process of its own, so that every byte it writes is seen. Configured by its environment, ended by any message.
import { readConfig, startServer } from '../../src/index.ts'
import { patientTimings } from '../support/test-server.ts'

const server = await startServer(readConfig(process.env), patientTimings)
process.send?.({ publicUrl: server.publicUrl, operatorUrl: server.operatorUrl })
process.on('message', () => void server.close().then(() => process.exit()))
