import type { Contract, FactResource } from '@chancery/contract'
import { fitValue, parseExactly, type ValueSchema } from '../fit-value.ts'

/**
 * Writes a fact of the outbox as the contract has it: whole numbers as ids, times in UTC. What is not known stays as it is,
 * for the service to refuse.
 */
export function fitFact(contract: Contract, fact: string): string {
  try {
    return fitted(contract, fact)
  } catch (err) {
    // Nested so deep that the stack is exhausted.
    if (err instanceof RangeError) return fact
    throw err
  }
}

function fitted({ factSchemas, eventKinds }: Contract, fact: string): string {
  const { data, ...rest } = parseExactly(fact) as Record<string, unknown>
  const schema =
    rest.op === 'event'
      ? eventSchema(eventKinds[String((data as { type?: unknown } | null)?.type)]?.data as ValueSchema)
      : (factSchemas[rest.resource as FactResource] as ValueSchema | undefined)
  const said = fitValue(outerSchema(factSchemas.era), rest) as object
  return JSON.stringify(data === undefined ? said : { ...said, data: fitValue(schema, data) })
}

const id = { type: 'string' }
const time = { type: 'string', format: 'date-time' }

/** What stands beside the data of a fact. */
const outerSchema = (era: ValueSchema): ValueSchema => ({
  type: 'object',
  properties: { id, player: id, nations: { type: 'array', items: id }, at: time, ended: era, next: era },
})

const eventSchema = (data: ValueSchema | undefined): ValueSchema => ({
  type: 'object',
  properties: {
    occurred_at: time,
    war_id: { type: ['string', 'null'] },
    conflict_id: { type: ['string', 'null'] },
    nation_ids: { type: 'array', items: id },
    alliance_ids: { type: 'array', items: id },
    ...(data ? { data } : {}),
  },
})
