import { parentPort, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import reference, { type FastifyApiReferenceOptions } from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

// What the plugin would send, asked of it once. It holds its 4 MB script twice and reads a parser of documents that nobody
// here needs: with this thread all of that goes.
const app = Fastify()
await app.register(reference, workerData as FastifyApiReferenceOptions)
const page = await app.inject(`${workerData.routePrefix}/`)
const script = await app.inject(`${workerData.routePrefix}/js/scalar.js`)
parentPort?.postMessage({ html: page.body, script: gzipSync(script.rawPayload) })
