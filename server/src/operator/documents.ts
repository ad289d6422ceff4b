import { type Contract, factsSchema, operatorOpenApiFor } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import { registerDocs } from '../http/docs.ts'

/** What anybody who reaches this listener may read: its document, a page of it, and the schema of facts. Nothing in it is secret. */
export async function registerDocuments(app: FastifyInstance, contract: Contract): Promise<void> {
  // Pages elsewhere have no business on a private door.
  app.addHook('onSend', async (_req, reply) => {
    reply.removeHeader('access-control-allow-origin')
  })
  const document = operatorOpenApiFor(contract)
  registerDocs(app, { document: () => document, title: document.info.title })
  const facts = JSON.stringify(factsSchema(contract))
  app.get('/facts.schema.json', { exposeHeadRoute: true }, (_req, reply) =>
    reply.type('application/schema+json; charset=utf-8').header('cache-control', 'no-cache').send(facts),
  )
}
