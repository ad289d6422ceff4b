import { contractFor, demoProfile } from '@chancery/contract'
import Fastify from 'fastify'
import { registerDocs } from '../../src/docs/register-docs.ts'

export const stubName = 'A name of the stub'

/** The documentation of one listener beside a stub of its API. */
export async function startDocs(listener: 'public' | 'operator', profile = demoProfile) {
  const app = Fastify()
  let origin = ''
  registerDocs(app, { contract: contractFor(profile), listener, publicUrl: () => origin })
  app.get('/api/v1/nations/:id', async ({ params, query, headers }) => ({
    data: { name: stubName, params, query, key: headers.authorization },
  }))
  app.post('/facts', async ({ body, headers }) => ({ body, id: headers['idempotency-key'] }))
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, origin }
}
