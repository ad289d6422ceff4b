import type { FastifyRequest } from 'fastify'
import type { AccountContext } from './context.ts'

const loopbackName = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/**
 * Whether this request may sign in as a demo player. The service listens to this machine alone then; a request that names another
 * host comes through a tunnel, or from a page whose name was turned to this machine.
 */
export function isDemo({ demoSignIn }: Pick<AccountContext, 'demoSignIn'>, req: FastifyRequest): boolean {
  return demoSignIn && loopbackName.test(hostnameOf(req))
}

const hostnameOf = ({ headers: { host = '' } }: FastifyRequest) => host.replace(/:\d*$/, '')

/** The origins of the page. A demo is reached under every name of this machine. */
export function ownOrigins(
  context: Pick<AccountContext, 'demoSignIn' | 'publicUrl'>,
  req: FastifyRequest,
): string[] {
  const { origin, protocol } = new URL(context.publicUrl())
  return isDemo(context, req) ? [origin, `${protocol}//${req.headers.host}`] : [origin]
}
