import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../api-error.ts'
import { createOnce, createStaticFile, type StaticFile, sendStaticFile } from '../static-file.ts'
import { addressOf, readGuides, shownFolders } from './read-guides.ts'

export interface GuidesOptions {
  title: string
  /** What callers see in front of this listener, once it listens: examples call it. */
  publicUrl: () => string
}

/** Serves the guides and the pages about errors below `/docs`, as they are in docs/ of this version. Each is rendered once. */
export function registerGuides(app: FastifyInstance, { title, publicUrl }: GuidesOptions): void {
  const pages = createOnce(async () => {
    const guides = await readGuides()
    // The Markdown parser is loaded for the first page: most processes serve none.
    const { policy, renderGuide, renderIndex } = await import('./render.ts')
    const surroundings = { title, publicUrl: publicUrl() }
    const fileOf = (render: () => string) =>
      createOnce(async () =>
        createStaticFile(render(), 'text/html; charset=utf-8', {
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-cache',
        }),
      )
    return new Map<string, () => Promise<StaticFile>>([
      ...guides.map(guide => [addressOf(guide), fileOf(() => renderGuide(guide, surroundings))] as const),
      ['/docs/guides', fileOf(() => renderIndex(guides, surroundings))],
    ])
  })

  async function send(req: FastifyRequest, reply: FastifyReply, address: string): Promise<FastifyReply> {
    const file = (await pages()).get(address)
    if (!file) throw new ApiError('not_found')
    return sendStaticFile(req, reply, await file())
  }

  const method = ['GET', 'HEAD']
  for (const folder of shownFolders) {
    const url = `/docs/${folder}`
    app.route({ method, url, handler: (req, reply) => send(req, reply, url) })
    app.route<{ Params: { name: string } }>({
      method,
      url: `${url}/:name`,
      handler: (req, reply) => send(req, reply, `${url}/${req.params.name}`),
    })
  }
}
