import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { createBodyValidator } from '../http/input-validator.ts'
import { AccountError } from './account-error.ts'
import type { AccountContext } from './context.ts'
import type { SignedIn } from './session/signed-in.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What an answer is made from. Body and query are of their schemas. */
export interface Call<B, Q> {
  context: AccountContext
  body: B
  query: Q
  /** What the path names; empty where it names nothing. */
  id: string
  req: FastifyRequest
  reply: FastifyReply
}

/** A call by somebody who is signed in. */
export interface PlayerCall<B, Q> extends Call<B, Q> {
  session: SignedIn
}

/** One thing that the page may ask for, under /developers/api. */
export interface AccountRoute {
  method: Method
  path: string
  needsSession: boolean
  /** Answers with a JSON body. */
  answer(context: AccountContext, req: FastifyRequest, reply: FastifyReply): Promise<object>
}

/** The shapes of what is sent, and the status of a success. Members that a shape does not name are refused. */
interface Expected<B extends TSchema, Q extends TSchema> {
  body: B
  query: Q
  status?: 200 | 201
}

const nothing = Type.Object({}, { additionalProperties: false })
export const takesNothing = { body: nothing, query: nothing }

/** Something for everybody, signed in or not. */
export const openRoute = <B extends TSchema, Q extends TSchema>(
  method: Method,
  path: string,
  expected: Expected<B, Q>,
  answer: (call: Call<Static<B>, Static<Q>>) => Promise<object>,
): AccountRoute => {
  const read = callReader(expected)
  return {
    method,
    path,
    needsSession: false,
    answer: (context, req, reply) => answer({ context, ...read(req, reply) }),
  }
}

/** Something for players, about what is theirs. */
export const playerRoute = <B extends TSchema, Q extends TSchema>(
  method: Method,
  path: string,
  expected: Expected<B, Q>,
  answer: (call: PlayerCall<Static<B>, Static<Q>>) => Promise<object>,
): AccountRoute => {
  const read = callReader(expected)
  return {
    method,
    path,
    needsSession: true,
    async answer(context, req, reply) {
      const { signedIn: session } = req
      if (!session) throw new Error(`${path} was let through without a session`)
      return answer({ context, session, ...read(req, reply) })
    },
  }
}

function callReader<B extends TSchema, Q extends TSchema>({ body, query, status = 200 }: Expected<B, Q>) {
  const readBody = createBodyValidator(body, notAsItShould)
  const readQuery = createBodyValidator(query, notAsItShould)
  return (req: FastifyRequest, reply: FastifyReply) => {
    reply.code(status)
    return {
      body: readBody(req.body === undefined ? {} : req.body),
      query: readQuery(req.query),
      id: idOf(req.params),
      req,
      reply,
    }
  }
}

const notAsItShould = (message: string) => new AccountError('invalid_request', message)

const idOf = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'id' in params ? String(params.id) : ''
