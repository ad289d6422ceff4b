import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { createRequestMetrics } from '../../src/http/request-metrics.ts'
import type { ServedRequest } from '../../src/request-log/request-ring.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'

const noted: ServedRequest[] = []
const metrics = createMetrics()
let app: FastifyInstance
before(() => {
  app = Fastify()
  const observer = createRequestMetrics({ metrics, requestLog: { record: call => noted.push(call) } })
  observer.watch(app)
  app.get('/stays', { config: { operation: 'stays' } }, async () => 'here')
  app.get('/goes', { config: { operation: 'goes' } }, async (_req, reply) => {
    reply.header('deprecation', '@1767225600')
    return 'still here'
  })
})
after(() => app.close())

test('a response with a Deprecation header is recorded as deprecated, and others are not', async () => {
  for (const url of ['/stays', '/goes', '/nowhere']) await app.inject(url)
  assert.deepEqual(
    noted.map(({ operation, isDeprecated }) => ({ operation, isDeprecated })),
    [
      { operation: 'stays', isDeprecated: false },
      { operation: 'goes', isDeprecated: true },
      { operation: 'none', isDeprecated: false },
    ],
  )
})

test('every response is timed', async () => {
  const timed = async () => {
    const { values } = await metrics.requestSeconds.get()
    return (
      values.find(({ metricName }) => metricName === 'chancery_request_duration_seconds_count')?.value ?? 0
    )
  }
  const before = await timed()
  for (const url of ['/stays', '/goes', '/nowhere']) await app.inject(url)
  assert.equal(await timed(), before + 3)
})
