import type { Contract } from '@chancery/contract'
import type { FastifyInstance } from 'fastify'
import { registerDocs } from '../docs/register-docs.ts'

/** What anybody who reaches this listener may read: its document, a page of it, and the schema of facts. Nothing in it is secret. */
export async function registerDocuments(app: FastifyInstance, contract: Contract): Promise<void> {
  // Pages elsewhere have no business on a private door.
  app.addHook('onSend', async (_req, reply) => {
    reply.removeHeader('access-control-allow-origin')
  })
  registerDocs(app, { contract, listener: 'operator', publicUrl: () => '' })
}
