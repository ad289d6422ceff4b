import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createReferenceFiles, type PackedScript } from './reference/reference-files.ts'

export interface DocsOptions {
  /** The OpenAPI document, as it is at the time of the call. */
  document: () => object
  /** What the browser shows as the page's title. */
  title: string
}

/** Serves the OpenAPI document at `/openapi.json` and the reference page at `/docs`, which asks nothing of any other origin. */
export function registerDocs(app: FastifyInstance, { document, title }: DocsOptions): void {
  app.get('/openapi.json', { exposeHeadRoute: true }, (req, reply) => {
    const body = JSON.stringify(document())
    const etag = etagOf(body)
    reply.headers({ etag, 'cache-control': 'no-cache', 'access-control-allow-origin': '*' })
    if (req.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })

  const readFiles = createReferenceFiles({
    routePrefix: prefix,
    configuration: { ...quiet, url: '/openapi.json', pageTitle: title },
  })
  app.register(async pages => {
    pages.addHook('onRequest', async (_req, reply) => {
      reply.headers({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
    })
    pages.get(prefix, async (_req, reply) => reply.redirect(`${prefix}/`, 301))
    pages.get(`${prefix}/`, async (_req, reply) => {
      const html = (await readFiles()).html.replace('<html>', '<html lang="en">')
      return reply
        .header('content-security-policy', policyFor(html))
        .type('text/html; charset=utf-8')
        .send(html)
    })
    pages.get(`${prefix}/js/scalar.js`, async (req, reply) =>
      sendScript(req, reply, (await readFiles()).script),
    )
  })
}

const prefix = '/docs'

/** Browsers keep it, and nearly all of them take it packed. */
function sendScript(req: FastifyRequest, reply: FastifyReply, { gzip, etag }: PackedScript): FastifyReply {
  reply.headers({ etag, vary: 'accept-encoding' })
  if (req.headers['if-none-match'] === etag) return reply.code(304).send()
  reply.type('application/javascript; charset=utf-8')
  if (!/\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) return reply.send(gunzipSync(gzip))
  return reply.header('content-encoding', 'gzip').send(gzip)
}

/** Everything that would call home, or invite the reader to, is off. The policy below would stop it besides. */
const quiet = {
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  withDefaultFonts: false,
  persistAuth: false,
  favicon: 'data:,',
  orderSchemaPropertiesBy: 'preserve',
  // A section that a link leads to takes the focus, and would be framed from edge to edge. Words in tables are not torn.
  customCss: '.section:focus { outline: none } td code { white-space: nowrap }',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
} as const

const etagOf = (text: string) => `"${hashOf(text).slice(0, 27)}"`
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

/** Own origin only. The one inline script is allowed by its hash; Scalar styles its elements inline. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(([, script = '']) => `'sha256-${hashOf(script)}'`)
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
