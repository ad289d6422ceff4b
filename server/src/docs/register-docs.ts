import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/http-error.ts'
import { sendStaticFile } from '../http/static-file.ts'
import { createPages, type PagesOptions } from './pages.ts'

const method = ['GET', 'HEAD']

const paths = {
  public: ['/openapi.json', '/docs/', '/docs/reference.js', '/docs/guides', '/docs/errors'],
  operator: ['/openapi.json', '/docs/', '/docs/reference.js', '/facts.schema.json'],
}

/** Serves the documentation of a listener: the OpenAPI document, its reference, and of the public one guides and pages about errors. */
export function registerDocs(app: FastifyInstance, options: PagesOptions): void {
  const read = createPages(options)

  async function send(req: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
    const file = await read(path)
    if (!file) throw new ApiError('not_found')
    return sendStaticFile(req, reply, file)
  }

  app.route({ method, url: '/docs', handler: async (_req, reply) => reply.redirect('/docs/', 301) })
  for (const url of paths[options.listener])
    app.route({ method, url, handler: (req, reply) => send(req, reply, url) })
  if (options.listener === 'operator') return
  for (const folder of ['/docs/guides', '/docs/errors'])
    app.route<{ Params: { name: string } }>({
      method,
      url: `${folder}/:name`,
      handler: (req, reply) => send(req, reply, `${folder}/${req.params.name}`),
    })
}
