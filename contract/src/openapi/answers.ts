import type { TSchema } from 'typebox'
import { type Contract, oneEnvelope } from '../contract.ts'
import { limits } from '../limits.ts'
import type { Operation, ResourceName, Returned } from '../operations/operation.ts'
import { readableSchema } from '../responses.ts'
import { listOf, shape } from '../shapes.ts'
import { type OpenApiResponse, refTo } from './document.ts'
import { headersWith, isShared } from './headers.ts'
import { recordingOf } from './recorded.ts'
import { componentName, documented } from './schemas.ts'

/** The 200 of an operation. */
export function answer(contract: Contract, operation: Operation): OpenApiResponse {
  if (operation.body === 'stream') return streamAnswer(contract, operation)
  const { many, resources, view } = operation.returns
  const refs = resources.map(resource => refTo('schemas', componentName(resource, view)))
  const [only] = refs
  const item = only && refs.length === 1 ? only : { anyOf: refs }
  return {
    description: describeAnswer(contract, operation),
    headers: headersWith(...(isShared(operation) ? (['etag'] as const) : [])),
    content: {
      'application/json': {
        schema: documented(many ? pageOf(item) : oneEnvelope(item)),
        examples: answerExamples(contract, operation),
      },
    },
  }
}

/** What goes on for ever has no schema but its lines. */
function streamAnswer(contract: Contract, { returns }: Operation): OpenApiResponse {
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

const pageOf = (item: TSchema) => shape({ data: listOf(item), pagination: refTo('schemas', 'Pagination') })

const describeAnswer = ({ resources }: Contract, { returns }: Operation) =>
  returns.many ? 'One page.' : returns.resources.map(resource => resources[resource].description).join(' ')

/** One example for each resource, and for each view of it: what everybody gets comes first. Recorded ones where there are. */
function answerExamples(contract: Contract, { id, scope, returns }: Operation) {
  const views: Returned['view'][] =
    returns.view === 'owner' && scope === 'none' ? ['public', 'owner'] : [returns.view]
  return Object.fromEntries(
    returns.resources.flatMap(resource =>
      views.map(view => {
        const name = componentName(resource, view)
        const recording = recordingOf(contract, id, name)
        if (recording) return [name, { summary: `GET ${recording.request}`, value: recording.answer }]
        const item = exampleOf(contract, resource, view)
        const value = returns.many
          ? { data: [item], pagination: { page: 1, limit: 25, total: 1, pages: 1 } }
          : { data: item }
        return [name, { value }]
      }),
    ),
  )
}

const exampleOf = (contract: Contract, resource: ResourceName, view: Returned['view']) =>
  Object.fromEntries(
    Object.entries(readableSchema(contract.resources[resource], view).properties ?? {}).map(
      ([field, { examples = [] }]) => [field, examples[0]],
    ),
  )
