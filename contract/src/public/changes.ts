import { limits } from '../limits.ts'
import { listedResources } from '../resources/change.ts'
import { listOperation, streamOperation } from './operation.ts'
import { enumListParam, lastEventId, limit, page, sequenceParam } from './parameters.ts'

const changeFilterParams = {
  resource: enumListParam(listedResources, 'Only changes of these kinds of items.'),
  after: sequenceParam(
    'Only changes with a greater seq. `change_seq` of a snapshot is where to start. Without it, from the oldest stored change.',
    5119,
  ),
}

export const changeOperations = {
  changesList: listOperation('change', {
    id: 'changes.list',
    path: '/changes',
    tag: 'Copies',
    summary: 'List changes',
    description:
      'The last change of each item, by seq, oldest first. With `after`, those since then: read until a page is empty and store the last seq, and no change is missed. A change is listed about a second after it was made, when every process of the service returns the new content. Where `after` is older than what is stored, start again from the newest snapshot.',
    scope: 'none',
    cache: 'revalidate',
    version: 'changes',
    parameters: { page, limit, ...changeFilterParams },
    errors: ['cursor_expired'],
  }),

  changesStream: streamOperation('change', {
    id: 'changes.stream',
    path: '/changes/stream',
    tag: 'Copies',
    summary: 'Follow changes as they happen',
    description: `The changes of \`/changes\` as server-sent events, in the format of \`/events/stream\`: \`id:\` is the seq, \`data:\` the change. With \`after\` or the header Last-Event-ID it continues after that number; without a position it starts with the next change. Opening a stream counts as one call, and it is one of the ${limits.streamsPerKey} streams that a key may have open, or the ${limits.streamsPerAddress} of an address without a key.`,
    scope: 'none',
    parameters: { ...changeFilterParams, 'Last-Event-ID': lastEventId },
    errors: ['cursor_expired'],
  }),
}
