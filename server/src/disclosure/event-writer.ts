import { type Contract, type PublicOf, readableSchema } from '@chancery/contract'
import fastJson from 'fast-json-stringify'
import { createDisclosure } from './disclosure.ts'

/** An event as JSON, as everybody may read it. */
export type SerializeEvent = (event: PublicOf<Contract['resources']['event']>) => string

/** Makes the writer of events for every way out but lists: byte for byte what `/events` says of them. */
export function createEventSerializer(contract: Contract): SerializeEvent {
  const disclose = createDisclosure(contract)
  const write = fastJson(readableSchema(contract.resources.event, 'public') as object)
  return event => write(disclose.toPublic('event', event))
}
