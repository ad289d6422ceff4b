import { limits as promises } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limitAddress, limitPages } from '../http/admission.ts'
import { createAccountErrorHandler } from './account-error.ts'
import { createAdmit } from './admit.ts'
import { type AccountParts, createAccountContext } from './context.ts'
import { builtPage } from './page/page-files.ts'
import { registerPage } from './page/register-page.ts'
import { accountRoutes } from './routes.ts'

/** Where the page's own API is. */
export const accountBase = '/developers/api'

/** The largest body, in bytes. */
const bodyBytesMax = 65_536

type ErrorHandler = (error: unknown, req: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Registers the developer settings: the page, and its own API, which is all of the public listener that changes anything. */
export function registerAccount(
  app: FastifyInstance,
  parts: AccountParts,
  handleUnexpected: ErrorHandler,
): void {
  app.register(async pages => {
    pages.addHook('onRequest', limitPages(parts.limits))
    registerPage(pages, { directory: builtPage, logo: parts.pageLogo }, handleUnexpected)
  })
  const context = createAccountContext(parts)
  const admit = createAdmit(context)
  app.register(async api => {
    api.removeAllContentTypeParsers()
    const parse = api.getDefaultJsonParser('error', 'error')
    api.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (req, body, done) => {
      if (body === '') done(null, undefined)
      else void parse(req, body, done)
    })
    api.setErrorHandler(createAccountErrorHandler(handleUnexpected))
    // Also of what is refused before it is known whose session it is.
    api.addHook('onRequest', limitAddress(parts.limits, 'account', promises.accountRequests))
    api.addHook('onRequest', admit)

    for (const [path, routes] of Map.groupBy(accountRoutes, route => route.path)) {
      const allow = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      for (const { method, needsSession, answer } of routes) {
        api.route({
          method: method === 'GET' ? ['GET', 'HEAD'] : method,
          url: accountBase + path,
          bodyLimit: bodyBytesMax,
          config: { account: { allow: allow.join(', '), needsSession } },
          handler: (req, reply) => answer(context, req, reply),
        })
      }
      // Whatever else is asked of it is refused by the hook above.
      api.route({
        method: app.supportedMethods.filter(method => !allow.includes(method)),
        url: accountBase + path,
        config: { account: { allow: allow.join(', '), needsSession: false } },
        handler: unreachable,
      })
    }
    for (const url of [accountBase, `${accountBase}/*`])
      api.route({ method: app.supportedMethods, url, handler: unreachable })
  })
}

function unreachable(): never {
  throw new Error('a request was let through that nothing answers')
}
