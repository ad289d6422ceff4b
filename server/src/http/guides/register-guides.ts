import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../api-error.ts'
import { type Guide, readGuides } from './read-guides.ts'
import type { Surroundings } from './render.ts'

export interface GuidesOptions {
  title: string
  /** What callers see in front of this listener, once it listens: examples call it. */
  publicUrl: () => string
}

/** Serves the guides and the pages about errors below `/docs`, as they are in docs/ of this version. */
export function registerGuides(app: FastifyInstance, { title, publicUrl }: GuidesOptions): void {
  let known: Promise<Guide[]> | undefined
  const guides = () => {
    known ??= readGuides()
    return known
  }
  const surroundings = (): Surroundings => ({ title, publicUrl: publicUrl() })

  async function send(reply: FastifyReply, folder: string, name: string): Promise<string> {
    const guide = (await guides()).find(each => each.folder === folder && each.name === name)
    if (!guide) throw new ApiError('not_found')
    const { renderGuide } = await loadRender()
    return page(reply, renderGuide(guide, surroundings()))
  }

  app.get('/docs/guides', async (_req, reply) => {
    const { renderIndex } = await loadRender()
    return page(reply, renderIndex(await guides(), surroundings()))
  })
  app.get<Named>('/docs/guides/:name', async (req, reply) => send(reply, 'guides', req.params.name))
  app.get('/docs/errors', async (_req, reply) => send(reply, 'errors', ''))
  app.get<Named>('/docs/errors/:name', async (req, reply) => send(reply, 'errors', req.params.name))
}

interface Named {
  Params: { name: string }
}

/** The reader of Markdown is loaded for the first page: most processes are never asked for one. */
const loadRender = () => import('./render.ts')

async function page(reply: FastifyReply, html: string): Promise<string> {
  const { policy } = await loadRender()
  reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  })
  return html
}
