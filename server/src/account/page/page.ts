import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withBasePath } from '../../http/base-path.ts'
import { createErrorHandler } from '../../http/http-error.ts'
import {
  createOnce,
  createStaticFile,
  readStaticFile,
  type StaticFile,
  sendStaticFile,
} from '../../http/static-file.ts'
import { assetUrl } from '../../start/asset-url.ts'
import { StartupError } from '../../start/startup-error.ts'
import type { Logger } from '../../telemetry/log.ts'
import { AccountError, toAccountError } from '../account-error.ts'

/** The URL path of the logo. */
export const logoPath = '/developers/logo'

/** Only images may come from other origins, because flags are hosted by the game. No inline scripts or styles. */
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

/** An SVG that is opened by itself runs no script. */
const logoPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export interface PageOptions {
  /** The directory of the built page. */
  directory: string
  logo: Logo | undefined
  basePath: string
  log: Logger
}

/** Registers the page: its files, and index.html for the paths of its client-side router. */
export function registerPage(app: FastifyInstance, { directory, logo, basePath, log }: PageOptions): void {
  const readFiles = createOnce(async () => {
    const files = await readPageFiles(directory, basePath)
    if (files) return files
    // Read again on the next request: it may be built by then.
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
    pages.setErrorHandler(createErrorHandler(log, toAccountError))
    pages.addHook('onRequest', async (req, reply) => {
      reply.headers(pageHeaders).header('x-request-id', req.id)
      if (req.method !== 'GET' && req.method !== 'HEAD')
        throw new AccountError('method_not_allowed', undefined, { allow: 'GET, HEAD' })
    })
    const onAll = (
      url: string,
      handler: (req: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    ) => pages.route({ method: app.supportedMethods, url, handler })

    onAll(logoPath, async (req, reply) => sendStaticFile(req, reply, await readLogo()))
    for (const url of ['/developers', '/developers/*'])
      onAll(url, async (req, reply) => {
        const path = pathOf(req)
        const file = (await readFiles()).get(/\.[^/]*$/.test(path) ? path : 'index.html')
        if (!file) throw new AccountError('not_found', 'Page not found.')
        return sendStaticFile(req, reply, file)
      })
  })
}

const pathOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params !== null && '*' in params ? String(params['*']) : ''

/** The files of the built page by path below /developers/. */
type PageFiles = Map<string, StaticFile>

/** The directory into which `npm ci` builds the page. */
export const builtPage = fileURLToPath(assetUrl('portal/dist/'))

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** Reads the built page; undefined if it was not built. */
async function readPageFiles(directory: string, basePath: string): Promise<PageFiles | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files: PageFiles = new Map()
  for (const entry of entries) {
    const contentType = contentTypes[extname(entry.name)]
    if (!entry.isFile() || contentType === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(join(directory, '/').length).replaceAll('\\', '/')
    // The name contains a hash of the content, so it may be cached for ever.
    const isImmutable = path.startsWith('assets/')
    const headers = { 'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache' }
    const isLinked = path === 'index.html' && basePath !== ''
    files.set(
      path,
      isLinked
        ? await createStaticFile(withBasePath(basePath, await readFile(file, 'utf8')), contentType, headers)
        : await readStaticFile(file, contentType, headers),
    )
  }
  return files.has('index.html') ? files : undefined
}

/** The logo of the page. */
export interface Logo {
  bytes: Buffer
  contentType: string
}

const bytesMax = 200 * 1024

/**
 * Reads the logo. Its type is detected from its bytes, not from its name.
 * @throws {StartupError} for a file that is unreadable, too large, or not SVG, PNG or WebP.
 */
export async function readLogo(file: string): Promise<Logo> {
  const fail = (problem: string) => new StartupError(`CHANCERY_PAGE_LOGO: the file ${file} ${problem}`)
  const { size } = await stat(file).catch(() => {
    throw fail('cannot be read')
  })
  if (size > bytesMax) throw fail('is larger than 200 KB')
  const bytes = await readFile(file).catch(() => {
    throw fail('cannot be read')
  })
  const contentType = typeOf(bytes)
  if (!contentType) throw fail('is neither SVG nor PNG nor WebP')
  return { bytes, contentType }
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

function typeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(pngSignature)) return 'image/png'
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp'
  const isSvg = /^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i.test(
    bytes.toString(),
  )
  return isSvg ? 'image/svg+xml' : undefined
}
