import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { notFound } from '../http/api-error.ts'
import {
  addressHoursMax,
  busiestAddresses,
  busiestKeys,
  findCalls,
  keyHoursMax,
} from '../journal/operator-reads.ts'
import { bodyReader } from './checked-body.ts'
import type { OperatorContext } from './context.ts'

const whole = () => Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,3}$' }))

const readTop = bodyReader(Type.Object({ hours: whole(), limit: whole() }, { additionalProperties: false }))

/** More hours than are counted are as many as are. */
const topOf = (query: unknown, hoursMax: number) => {
  const { hours = '24', limit = '20' } = readTop(query)
  return { hours: Math.min(Number(hours), hoursMax), limit: Number(limit) }
}

/** What became of a request, and who calls most. */
export function journalRoutes(app: FastifyInstance, { journal }: OperatorContext): void {
  app.get<{ Params: { id: string } }>('/requests/:id', async req => {
    const calls = await journal.read(db => findCalls(db, req.params.id))
    if (calls.length === 0) throw notFound('request with this id in the journal')
    return { data: calls }
  })

  app.get('/usage/keys', async req => {
    const top = topOf(req.query, keyHoursMax)
    return { data: await journal.read((db, nowMs) => busiestKeys(db, top, nowMs)) }
  })

  app.get('/usage/addresses', async req => {
    const top = topOf(req.query, addressHoursMax)
    return { data: await journal.read((db, nowMs) => busiestAddresses(db, top, nowMs)) }
  })
}
