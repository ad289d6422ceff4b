import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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

  let packed: PackedScript | undefined
  const sendScript = (req: FastifyRequest, reply: FastifyReply, script: string) => {
    packed ??= pack(script)
    reply.headers({ etag: packed.etag, vary: 'accept-encoding' })
    if (req.headers['if-none-match'] === packed.etag) {
      reply.code(304)
      return ''
    }
    if (!/\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) return script
    reply.header('content-encoding', 'gzip')
    return packed.gzip
  }

  app.register(async pages => {
    pages.addHook('onSend', async (req, reply, payload) => {
      reply.headers({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      if (typeof payload !== 'string') return payload
      const contentType = String(reply.getHeader('content-type'))
      if (contentType.startsWith('text/html')) {
        const html = payload.replace('<html>', '<html lang="en">')
        reply.header('content-security-policy', policyFor(html))
        return html
      }
      if (contentType.startsWith('application/javascript')) return sendScript(req, reply, payload)
      return payload
    })
    await pages.register(reference, {
      routePrefix: '/docs',
      configuration: { ...quiet, url: '/openapi.json', pageTitle: title },
    })
  })
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

/** The page's script is 4 MB: packed once, at its first request, and then kept by browsers. */
interface PackedScript {
  etag: string
  gzip: Buffer
}
const pack = (script: string): PackedScript => ({ etag: etagOf(script), gzip: gzipSync(script) })

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
