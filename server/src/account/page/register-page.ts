import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createOnce, createStaticFile, sendStaticFile } from '../../http/static-file.ts'
import { AccountError, createAccountErrorHandler } from '../account-error.ts'
import type { Logo } from './logo.ts'
import { readPageFiles } from './page-files.ts'
import { logoPath } from './page-info.ts'

/** Nothing of any other origin but pictures: flags are where the game has them. No inline script, and no inline style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** A picture that somebody opens by itself runs nothing, whatever is written in it. */
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export interface PageOptions {
  /** Where the built page is. */
  directory: string
  logo: Logo | undefined
}

type ErrorHandler = Parameters<typeof createAccountErrorHandler>[0]

/** Registers the page itself: its files, and index.html for every path that the page knows by itself. */
export function registerPage(
  app: FastifyInstance,
  { directory, logo }: PageOptions,
  handleUnexpected: ErrorHandler,
): void {
  const readFiles = createOnce(async () => {
    const files = await readPageFiles(directory)
    if (files) return files
    // What was not built may be built later.
    throw new AccountError('unavailable', 'The developer settings page is not built: run npm ci.')
  })
  const readLogo = createOnce(async () => {
    if (!logo) throw new AccountError('not_found', 'No logo is configured.')
    return createStaticFile(logo.bytes, logo.contentType, {
      'content-security-policy': logoPolicy,
      'cache-control': 'public, max-age=300',
    })
  })

  app.register(async pages => {
    pages.setErrorHandler(createAccountErrorHandler(handleUnexpected))
    pages.addHook('onRequest', async (req, reply) => {
      reply.headers(pageHeaders).header('x-request-id', req.id)
      if (req.method !== 'GET' && req.method !== 'HEAD')
        throw new AccountError('method_not_allowed', undefined, { allow: 'GET, HEAD' })
    })
    const onAll = (
      url: string,
      answer: (req: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    ) => pages.route({ method: app.supportedMethods, url, handler: answer })

    onAll(logoPath, async (req, reply) => sendStaticFile(req, reply, await readLogo()))
    for (const url of ['/developers', '/developers/*'])
      onAll(url, async (req, reply) => {
        const path = pathOf(req)
        const file = (await readFiles()).get(/\.[^/]*$/.test(path) ? path : 'index.html')
        if (!file) throw new AccountError('not_found', 'Nothing is here.')
        return sendStaticFile(req, reply, file)
      })
  })
}

const pathOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && '*' in params ? String(params['*']) : ''
