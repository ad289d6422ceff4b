import type { OperatorRole } from '@chancery/contract'
import type { FastifyRequest } from 'fastify'

/** Who calls the operator listener. */
export interface OperatorCaller {
  /** Of the token: `main` for the one of the configuration. */
  id: string
  name: string
  roles: ReadonlySet<OperatorRole>
}

export const mainCaller: OperatorCaller = { id: 'main', name: 'main', roles: new Set(['admin']) }

/** The token that a call presents; empty for none. */
export const bearerOf = (req: Pick<FastifyRequest, 'headers'>): string =>
  /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1] ?? ''

export const isAdmin = ({ roles }: OperatorCaller): boolean => roles.has('admin')

export const actorOf = ({ id, name }: OperatorCaller) => ({ token_id: id, token_name: name })
