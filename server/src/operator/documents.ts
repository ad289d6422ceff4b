import { type Contract, factsSchema, operatorOpenApiFor, operatorTitleFor } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import { registerDocs } from '../http/docs.ts'

/** What anybody who reaches this listener may read: its document, a page of it, and the schema of facts. Nothing in it is secret. */
export async function registerDocuments(app: FastifyInstance, contract: Contract): Promise<void> {
  // Pages elsewhere have no business on a private door.
  app.addHook('onSend', async (_req, reply) => {
    reply.removeHeader('access-control-allow-origin')
  })
  // Made when they are first asked for: they are a third of the work of a start.
  const document = once(() => operatorOpenApiFor(contract))
  registerDocs(app, { document, title: operatorTitleFor(contract) })
  const facts = once(() => JSON.stringify(factsSchema(contract)))
  app.get('/facts.schema.json', { exposeHeadRoute: true }, (_req, reply) =>
    reply.type('application/schema+json; charset=utf-8').header('cache-control', 'no-cache').send(facts()),
  )
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
