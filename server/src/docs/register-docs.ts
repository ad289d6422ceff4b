import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Contract, contractFor, demoProfile } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { basePathOf } from '../http/base-path.ts'
import { ApiError, type ErrorHandler } from '../http/http-error.ts'
import { prefersHtml } from '../http/response-cache.ts'
import {
  createOnce,
  createStaticFile,
  isText,
  readStaticFile,
  type StaticFile,
  sendStaticFile,
} from '../http/static-file.ts'
import type { Pulse } from '../store/pulse.ts'
import { type BuiltPage, openBuiltPages, pagesDirectory } from './built-pages.ts'
import { renderNotFound, renderStatus } from './landing.ts'
import { isBuiltContract, moveToSite, policyOf, siteOf } from './layout.ts'
import type { Listener } from './render-pages.ts'

export interface DocsOptions {
  contract: Contract
  listener: Listener
  /** The public URL, once the listener is open: examples use it. */
  publicUrl: () => string
}

const method = ['GET', 'HEAD']

const commonPaths = ['/openapi.json', '/docs/', '/docs/reference.js', '/docs/copy.js', '/docs/icon.svg']
const paths = {
  public: [
    ...commonPaths,
    '/favicon.ico',
    '/robots.txt',
    '/llms.txt',
    '/docs/guides',
    '/docs/errors',
    '/docs/changelog',
    '/docs/changelog.atom',
  ],
  operator: [...commonPaths, '/facts.schema.json'],
}

/**
 * Serves the documentation of a listener: the OpenAPI document and its reference; on the public one also the landing page, guides, error
 * pages, the changelog and downloads.
 */
export function registerDocs(app: FastifyInstance, options: DocsOptions): void {
  const read = createPages(options)

  async function send(req: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
    const file = await read(path)
    if (!file) throw new ApiError('not_found')
    return sendStaticFile(req, reply, file)
  }

  app.route({
    method,
    url: '/docs',
    handler: async (_req, reply) => reply.redirect(`${basePathOf(options.publicUrl())}/docs/`, 301),
  })
  for (const url of paths[options.listener])
    app.route({ method, url, handler: (req, reply) => send(req, reply, url) })
  if (options.listener === 'operator') return
  // The page for browsers; for other clients there is nothing at this path.
  app.route({
    method,
    url: '/',
    async handler(req, reply) {
      if (!prefersHtml(req)) throw new ApiError('not_found')
      return send(req, reply, '/')
    },
  })
  for (const folder of ['/docs/guides', '/docs/errors', '/downloads'])
    app.route<{ Params: { name: string } }>({
      method,
      url: `${folder}/:name`,
      handler: (req, reply) => send(req, reply, `${folder}/${req.params.name}`),
    })
}

/** The files of a listener by path, read and adapted to this service at the first request for each. */
function createPages({ contract, listener, publicUrl }: DocsOptions) {
  const readPages = createOnce(async () => {
    const site = siteOf(contract, listener, publicUrl())
    const renderOwn = createOnce(async () => {
      const { renderContractPages } = await import('./render-pages.ts')
      return new Map(
        renderContractPages(contract, listener, site).map(({ path, content }) => [path, String(content)]),
      )
    })
    const builtSite = siteOf(contractFor(demoProfile), listener)

    /** The content for this service. */
    async function ownContent(page: BuiltPage, built: string): Promise<string> {
      const isBuilt = isBuiltContract(contract) && basePathOf(site.publicUrl) === ''
      if (page.isOfContract && !isBuilt) return (await renderOwn()).get(page.path) ?? built
      return moveToSite(built, builtSite, site)
    }

    async function open(page: BuiltPage): Promise<StaticFile> {
      const file = join(pagesDirectory, page.file)
      if (!isText(page.contentType)) return readStaticFile(file, page.contentType, headersOf(page, ''))
      const built = await readFile(file, 'utf8')
      const content = await ownContent(page, built)
      const headers = headersOf(page, content)
      return content === built
        ? readStaticFile(file, page.contentType, headers)
        : createStaticFile(content, page.contentType, headers)
    }

    const pages = (await openBuiltPages()).filter(page => page.listener === listener)
    return new Map(pages.map(page => [page.path, createOnce(() => open(page))]))
  })
  return async (path: string): Promise<StaticFile | undefined> => (await readPages()).get(path)?.()
}

const pageHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

function headersOf({ path, contentType }: BuiltPage, content: string): Record<string, string> {
  const headers = { ...pageHeaders, ...(path === '/' ? { vary: 'accept, accept-encoding' } : {}) }
  if (contentType.startsWith('text/html')) return { ...headers, 'content-security-policy': policyOf(content) }
  return contentType.startsWith('application/json')
    ? { ...headers, 'access-control-allow-origin': '*' }
    : headers
}

/** Sends a page that is rendered for this response. */
function sendRendered(reply: FastifyReply, html: string): FastifyReply {
  const headers = { ...pageHeaders, 'cache-control': 'no-store', 'content-security-policy': policyOf(html) }
  return reply.headers({ ...headers, 'content-type': 'text/html; charset=utf-8' }).send(html)
}

type SiteOptions = Pick<DocsOptions, 'contract' | 'publicUrl'>

/** Serves the status page. */
export function registerStatus(
  app: FastifyInstance,
  {
    contract,
    publicUrl,
    pulse,
    isDraining,
  }: SiteOptions & { pulse: Pick<Pulse, 'current'>; isDraining: () => boolean },
): void {
  app.route({
    method,
    url: '/docs/status',
    async handler(_req, reply) {
      const heartbeat = pulse.current()
      const isAvailable = heartbeat !== undefined && !isDraining()
      const status = { isAvailable, worldChangedAt: heartbeat?.worldChangedAt ?? null }
      return sendRendered(reply, renderStatus(status, siteOf(contract, 'public', publicUrl())))
    },
  })
}

/** Sends a page instead of JSON to browsers that open an unknown path, except below /api/. */
export function withNotFoundPage(
  handleError: ErrorHandler,
  { contract, publicUrl }: SiteOptions,
): ErrorHandler {
  return (error, req, reply) => {
    const isUnknownPage =
      error instanceof ApiError && error.code === 'not_found' && !req.url.startsWith('/api/')
    if (!isUnknownPage || !prefersHtml(req)) return handleError(error, req, reply)
    const html = renderNotFound(siteOf(contract, 'public', publicUrl()))
    return sendRendered(reply.code(404).header('vary', 'accept'), html)
  }
}

const securityTxtDays = 180

/** Serves `/.well-known/security.txt` (RFC 9116). It always expires half a year from today. */
export function registerSecurityTxt(
  app: FastifyInstance,
  { contact, publicUrl }: { contact: string; publicUrl: () => string },
): void {
  const url = '/.well-known/security.txt'
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler: async (_req, reply) => {
      const expires = new Date()
      expires.setUTCHours(0, 0, 0, 0)
      expires.setUTCDate(expires.getUTCDate() + securityTxtDays)
      return reply
        .header('cache-control', 'no-cache')
        .type('text/plain; charset=utf-8')
        .send(`Contact: ${contact}\nExpires: ${expires.toISOString()}\nCanonical: ${publicUrl()}${url}\n`)
    },
  })
}
