import type { TSchema } from 'typebox'
import { type Contract, itemEnvelope } from '../contract.ts'
import { limits } from '../limits.ts'
import type { Operation, ResourceName, Returns } from '../operations/operation.ts'
import { readableSchema } from '../responses.ts'
import { listOf, strictObject } from '../shared-schemas.ts'
import { type OpenApiResponse, refTo } from './document.ts'
import { hasEtag, headersWith } from './headers.ts'
import { recordingOf } from './recorded.ts'
import { componentName, documented } from './schemas.ts'

/** The 200 of an operation. */
export function okResponse(contract: Contract, operation: Operation): OpenApiResponse {
  if (operation.cache === 'stream') return streamResponse(contract, operation)
  const { isList, resources, view } = operation.returns
  const refs = resources.map(resource => refTo('schemas', componentName(resource, view)))
  const [only] = refs
  const item = only && refs.length === 1 ? only : { anyOf: refs }
  return {
    description: describeResponse(contract, operation),
    headers: headersWith(...(hasEtag(operation) ? (['etag'] as const) : [])),
    content: {
      'application/json': {
        schema: documented(isList ? pageOf(item) : itemEnvelope(item)),
        examples: responseExamples(contract, operation),
      },
    },
  }
}

/** What goes on for ever has no schema but its lines. */
function streamResponse(contract: Contract, { returns }: Operation): OpenApiResponse {
  const frames = returns.resources.map(resource => {
    const thing = exampleOf(contract, resource, returns.view)
    return `id: ${thing.seq}\ndata: ${JSON.stringify(thing)}\n\n`
  })
  const lines = [
    `retry: ${limits.streamRetrySeconds * 1000}\n\nid: 1040\n\n: up to date\nid: 1040\n\n`,
    ...frames,
    ': heartbeat\nid: 1041\n\n',
  ]
  const [resource = 'event'] = returns.resources
  const schema = {
    type: 'string',
    description: 'Server-sent events. Each `data` is one Event as JSON.',
    contentMediaType: 'text/event-stream',
    contentSchema: refTo('schemas', componentName(resource, returns.view)),
  }
  return {
    description: 'Events as they come, until the reader leaves.',
    headers: headersWith(),
    content: { 'text/event-stream': { schema, examples: { EventStream: { value: lines.join('') } } } },
  }
}

const pageOf = (item: TSchema) =>
  strictObject({ data: listOf(item), pagination: refTo('schemas', 'Pagination') })

const describeResponse = ({ resources }: Contract, { returns }: Operation) =>
  returns.isList ? 'One page.' : returns.resources.map(resource => resources[resource].description).join(' ')

/** One example for each resource, and for each view of it: what everybody gets comes first. Recorded ones where there are. */
function responseExamples(contract: Contract, { id, scope, returns }: Operation) {
  const views: Returns['view'][] =
    returns.view === 'owner' && scope === 'none' ? ['public', 'owner'] : [returns.view]
  return Object.fromEntries(
    returns.resources.flatMap(resource =>
      views.map(view => {
        const name = componentName(resource, view)
        const recording = recordingOf(contract, id, name)
        if (recording) return [name, { summary: `GET ${recording.request}`, value: recording.answer }]
        const item = exampleOf(contract, resource, view)
        const value = returns.isList
          ? { data: [item], pagination: { page: 1, limit: 25, total: 1, pages: 1 } }
          : { data: item }
        return [name, { value }]
      }),
    ),
  )
}

const exampleOf = (contract: Contract, resource: ResourceName, view: Returns['view']) =>
  Object.fromEntries(
    Object.entries(readableSchema(contract.resources[resource], view).properties ?? {}).map(
      ([field, { examples = [] }]) => [field, examples[0]],
    ),
  )
