import { type Contract, factsSchema, operatorOpenApiFor, operatorTitleFor } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import { registerDocs } from '../http/docs.ts'
import { createOnce, createStaticFile, sendStaticFile } from '../http/static-file.ts'

/** What anybody who reaches this listener may read: its document, a page of it, and the schema of facts. Nothing in it is secret. */
export async function registerDocuments(app: FastifyInstance, contract: Contract): Promise<void> {
  // Pages elsewhere have no business on a private door.
  app.addHook('onSend', async (_req, reply) => {
    reply.removeHeader('access-control-allow-origin')
  })
  registerDocs(app, { document: () => operatorOpenApiFor(contract), title: operatorTitleFor(contract) })
  const facts = createOnce(async () =>
    createStaticFile(JSON.stringify(factsSchema(contract)), 'application/schema+json; charset=utf-8', {
      'cache-control': 'no-cache',
    }),
  )
  app.route({
    method: ['GET', 'HEAD'],
    url: '/facts.schema.json',
    handler: async (req, reply) => sendStaticFile(req, reply, await facts()),
  })
}
