import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccountError, createAccountErrorHandler } from '../account-error.ts'
import type { Logo } from './logo.ts'
import { type PageFile, type PageFiles, readPageFiles } from './page-files.ts'
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
  let reading: Promise<PageFiles | undefined> | undefined
  /** What was not built may be built later. */
  const readFiles = async (): Promise<PageFiles> => {
    reading ??= readPageFiles(directory)
    const files = await reading
    if (files) return files
    reading = undefined
    throw new AccountError('unavailable', 'The developer settings page is not built: run npm ci.')
  }

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

    onAll(logoPath, async (_req, reply) => {
      if (!logo) throw new AccountError('not_found', 'Nothing is here.')
      return reply
        .headers({ 'content-security-policy': logoPolicy, 'cache-control': 'public, max-age=300' })
        .type(logo.contentType)
        .send(logo.bytes)
    })
    for (const url of ['/developers', '/developers/*'])
      onAll(url, async (req, reply) => {
        const path = pathOf(req)
        const file = (await readFiles()).get(/\.[^/]*$/.test(path) ? path : 'index.html')
        if (!file) throw new AccountError('not_found', 'Nothing is here.')
        return send(req, reply, file)
      })
  })
}

const pathOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && '*' in params ? String(params['*']) : ''

function send(req: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const etag = `"${file.tag}"`
  reply.headers({
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-type': file.contentType,
    // Weak: the packed forms are of the same content.
    etag: `W/${etag}`,
    vary: 'accept-encoding',
  })
  if (req.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  const accepted = String(req.headers['accept-encoding'] ?? '')
  const coding = [...file.packed.keys()].find(name => accepts(accepted, name))
  const packed = coding && file.packed.get(coding)
  return packed ? reply.header('content-encoding', coding).send(packed) : reply.send(file.bytes)
}

/** Whether a coding is named, and not with the quality 0. */
const accepts = (header: string, coding: string) =>
  header.split(',').some(part => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map(text => text.trim())
    return name === coding && !parameters.some(text => /^q=0(\.0*)?$/.test(text))
  })
