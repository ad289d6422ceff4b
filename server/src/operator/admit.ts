import { hasRole, type OperatorOperation, operatorOperations } from '@chancery/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bearerOf, type OperatorCaller } from './caller.ts'
import type { FindCaller } from './identify.ts'
import { missingRole, missingToken } from './operator-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null before the token was looked at. */
    operator: OperatorCaller | null
  }
  interface FastifyContextConfig {
    /** What a route of the operator listener does. */
    operatorOperation?: OperatorOperation
  }
}

/** What must be answered while the database is away. */
const goesOn: readonly OperatorOperation[] = [operatorOperations.metricsGet, operatorOperations.statusGet]

/**
 * Lets a call in whose token is valid and may do what the route does. A path that is not there asks for a token too: nothing is
 * told to strangers.
 * @throws {OperatorError}
 */
export const createAdmit =
  (identify: FindCaller) =>
  async (req: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const { operatorOperation: operation } = req.routeOptions.config
    const given = bearerOf(req)
    const trustsMemory = operation !== undefined && goesOn.includes(operation)
    const caller = given === '' ? undefined : await identify(given, { trustsMemory })
    if (!caller) throw missingToken()
    if (operation && !hasRole(caller.roles, operation.roles)) throw missingRole(caller.name, operation)
    req.operator = caller
  }
