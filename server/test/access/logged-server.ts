// A server of its own process, so that everything it writes is seen. Started by log.test.ts.
import { readConfig, startServer } from '../../src/index.ts'

const server = await startServer(readConfig(process.env))
process.send?.({ publicUrl: server.publicUrl, operatorUrl: server.operatorUrl })
process.on('message', () => void server.close().then(() => process.disconnect()))
