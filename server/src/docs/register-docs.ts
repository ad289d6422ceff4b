import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createReferenceFiles } from './reference/reference-files.ts'
import { createOnce, createStaticFile, sendStaticFile } from './static-file.ts'

export interface DocsOptions {
  /** The OpenAPI document. Called once, at the first request. */
  document: () => object
  /** What the browser shows as the page's title. */
  title: string
}

/** Serves the OpenAPI document at `/openapi.json` and the reference page at `/docs`, which loads nothing of any other origin. */
export function registerDocs(app: FastifyInstance, { document, title }: DocsOptions): void {
  const readDocument = createOnce(async () =>
    createStaticFile(JSON.stringify(document()), 'application/json; charset=utf-8', {
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
    }),
  )
  const readFiles = createReferenceFiles({
    routePrefix: prefix,
    configuration: { ...quiet, url: '/openapi.json', pageTitle: title },
  })
  const readPage = createOnce(async () => {
    const html = (await readFiles()).html.replace('<html>', '<html lang="en">')
    return createStaticFile(html, 'text/html; charset=utf-8', {
      ...pageHeaders,
      'content-security-policy': policyFor(html),
    })
  })
  const readScript = createOnce(async () => ({ ...(await readFiles()).script, headers: pageHeaders }))

  const method = ['GET', 'HEAD']
  app.route({ method, url: prefix, handler: async (_req, reply) => reply.redirect(`${prefix}/`, 301) })
  for (const [url, read] of [
    ['/openapi.json', readDocument],
    [`${prefix}/`, readPage],
    [`${prefix}/js/scalar.js`, readScript],
  ] as const)
    app.route({ method, url, handler: async (req, reply) => sendStaticFile(req, reply, await read()) })
}

const prefix = '/docs'

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
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

/** Own origin only. The one inline script is allowed by its hash; Scalar styles its elements inline. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`)
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
