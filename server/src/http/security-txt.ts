import type { FastifyInstance } from 'fastify'

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
