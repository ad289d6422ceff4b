import { type AccountOperation, accountOperations, limits as promises } from '@chancery/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { limitAddress, limitPages } from '../http/admission.ts'
import { basePathOf } from '../http/base-path.ts'
import { createDefiner } from '../http/definer.ts'
import { createErrorHandler } from '../http/http-error.ts'
import { createInputValidator } from '../http/input-validator.ts'
import { addressBucket } from '../limits/rate-limit.ts'
import { AccountError, invalidRequest, toAccountError } from './account-error.ts'
import { logRoutes } from './account-log.ts'
import { codeRoutes } from './codes.ts'
import type { AccountContext, AccountParts, DefineAccount, OpenRequest, PlayerRequest } from './context.ts'
import { exploreRoutes } from './explore.ts'
import { keyRoutes } from './keys.ts'
import { builtPage, registerPage } from './page/page.ts'
import { pageRoutes } from './page/page-info.ts'
import { isSameOrigin, ownOrigins } from './session/same-origin.ts'
import { createFindSession, findSessionOf, type Session } from './session/sessions.ts'
import { isEqualText } from './session/tokens.ts'
import { signInRoutes } from './sign-in.ts'
import { webhookRoutes } from './webhooks.ts'

/**
 * The account API and the developer settings page, for players in a browser.
 *
 * A game signs its players in with handover links (`sign-in.ts`); a session is a cookie, and every change needs a same-origin request
 * with a CSRF token (`createAuthenticate` below, `session/`). Operations are those of `contract/src/account/`; the other files handle one
 * resource each. `page/` serves the built page. Players see and change only what is theirs.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a request to an operation that needs one. */
    session: Session | undefined
  }
  interface FastifyContextConfig {
    /** The methods of a path of the account API, for `allow`, and whether its operation needs a session. */
    account?: { allow: string; needsSession: boolean }
  }
}

export const accountBase = '/developers/api'

/** The largest body, in bytes. */
const bodyBytesMax = 65_536

/** Registers the page and its API, the only part of the public listener that changes data. */
export function registerAccount(app: FastifyInstance, parts: AccountParts): void {
  const context = { ...parts, findSession: createFindSession(parts.pools.access) }
  app.register(async pages => {
    pages.addHook('onRequest', limitPages(parts.limits))
    registerPage(pages, {
      directory: builtPage,
      logo: parts.pageLogo,
      basePath: basePathOf(parts.publicUrl()),
      log: parts.log,
    })
  })
  app.register(async api => {
    api.removeAllContentTypeParsers()
    const parse = api.getDefaultJsonParser('error', 'error')
    api.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (req, body, done) => {
      if (body === '') done(null, undefined)
      else void parse(req, body, done)
    })
    api.setErrorHandler(createErrorHandler(parts.log, toAccountError))
    // Before the session is read, so that rejected requests count too.
    api.addHook('onRequest', limitAddress(parts.limits, 'account', promises.accountRequests))
    api.addHook('onRequest', createAuthenticate(context))

    const define = {
      open: createDefine<OpenRequest>(api, (req, reply) => ({ req, reply })),
      player: createDefine<PlayerRequest>(api, (req, reply) => {
        if (!req.session) throw new Error('an operation was reached without a session')
        return { req, reply, session: req.session }
      }),
    }
    for (const routes of [
      pageRoutes,
      signInRoutes,
      codeRoutes,
      keyRoutes,
      webhookRoutes,
      exploreRoutes,
      logRoutes,
    ])
      routes(define, context)

    // The hook above rejects other methods with 405, and unknown paths with 404.
    for (const path of new Set(operations.map(operation => operation.path))) {
      const allow = allowOf(path)
      api.route({
        method: app.supportedMethods.filter(method => !allow.includes(method)),
        url: accountBase + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        config: { account: { allow: allow.join(', '), needsSession: false } },
        handler: unreachable,
      })
    }
    for (const url of [accountBase, `${accountBase}/*`])
      api.route({ method: app.supportedMethods, url, handler: unreachable })
  })
}

function unreachable(): never {
  throw new Error('a rejected request reached a handler')
}

const operations: AccountOperation[] = Object.values(accountOperations)

const methodsOf = ({ method }: AccountOperation) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const allowOf = (path: string) => operations.filter(operation => operation.path === path).flatMap(methodsOf)

const noBody = { schema: Type.Object({}, { additionalProperties: false }) }

const createDefine = <Request>(
  app: FastifyInstance,
  contextOf: (req: FastifyRequest, reply: FastifyReply) => Request,
): DefineAccount<Request> =>
  createDefiner<AccountOperation, Request, unknown>({
    app,
    bases: [accountBase],
    route: operation => ({
      method: methodsOf(operation),
      bodyLimit: bodyBytesMax,
      config: {
        account: { allow: allowOf(operation.path).join(', '), needsSession: operation.needsSession },
      },
    }),
    steps: operation => ({
      validateAndAuthorize: createInputValidator<AccountOperation>(
        { ...operation, body: { ...(operation.body ?? noBody), isOptional: true } },
        invalidRequest,
      ),
      async respond({ req, reply }, runHandler) {
        const result = await runHandler(contextOf(req, reply))
        return reply.code(201 in operation.responses ? 201 : 200).send(result)
      },
    }),
  })

const fixedHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // No other site may embed a response, as whatever type.
  'cross-origin-resource-policy': 'same-origin',
}

/** Checks before every operation: path, method, origin, rate limit, session, suspension, CSRF token. */
function createAuthenticate(context: AccountContext) {
  return async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers(fixedHeaders).header('x-request-id', req.id)
    const { account } = req.routeOptions.config
    if (!account) throw new AccountError('not_found', 'Page not found.')
    if (!account.allow.split(', ').includes(req.method))
      throw new AccountError('method_not_allowed', undefined, { allow: account.allow })
    const isChange = req.method !== 'GET' && req.method !== 'HEAD'
    if (!isSameOrigin(req.headers, ownOrigins(context, req), isChange) || hasForeignBody(req))
      throw new AccountError('cross_site')

    const session = account.needsSession ? await findSessionOf(context, req) : undefined
    await consumeLimit(context, req, { isChange, session })
    if (!account.needsSession) return
    if (!session) throw new AccountError('session_required')
    if (session.isSuspended)
      throw new AccountError(
        'session_required',
        'This player is suspended. Contact the operators of the game.',
      )
    if (isChange && !isEqualText(String(req.headers['x-csrf-token']), session.csrfToken))
      throw new AccountError('cross_site')
    req.session = session
  }
}

/** A body that is not JSON, which a form of any site can send. */
function hasForeignBody({ headers }: FastifyRequest): boolean {
  const type = headers['content-type']
  if (type !== undefined) return !/^application\/json *(;|$)/i.test(type)
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Counts a request against the session; without one against the address, so that sign-ins are limited too. */
async function consumeLimit(
  { limits }: AccountContext,
  req: FastifyRequest,
  { isChange, session }: { isChange: boolean; session: Session | undefined },
): Promise<void> {
  const bucket = session ? session.hash.toString('base64url') : `ip:${addressBucket(req.ip)}`
  const { isAllowed, retryAfterSeconds } = isChange
    ? await limits.consume(`account:change:${bucket}`, promises.accountChanges)
    : await limits.consume(`account:read:${bucket}`, promises.accountReads)
  if (!isAllowed)
    throw new AccountError('rate_limited', undefined, { 'retry-after': String(retryAfterSeconds) })
}
