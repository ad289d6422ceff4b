import { primaryKeys } from '../contract.ts'
import { limits } from '../limits.ts'
import { type ListedResource, listedResources } from '../resources/change.ts'
import { eventOperations } from './events.ts'
import { gameOperations, marketOperations } from './game.ts'
import { memberOperations, nationOperations, treatyOperations } from './nations.ts'
import { listOperation, type Operation, streamOperation } from './operation.ts'
import { enumListParam, lastEventId, limit, page, sequenceParam } from './parameters.ts'
import { battleOperations, conflictOperations, warOperations } from './wars.ts'

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
      'The last change of each item, by seq, oldest first. With `after`, those since then: read until a page is empty and store the last seq, and no change is missed. A change is listed about a second after it was made, when every process of the service returns the new content. Where `after` is older than what is stored, start again from the newest snapshot: `/downloads/world/latest.json` at the origin of the API lists its files.',
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

/** The operation that lists the items of each resource. */
const lists = {
  alliance: nationOperations.alliancesList,
  nation: nationOperations.nationsList,
  alliance_member: memberOperations.membersList,
  treaty: treatyOperations.treatiesList,
  era: gameOperations.erasList,
  conflict: conflictOperations.conflictsList,
  war: warOperations.warsList,
  battle: battleOperations.battlesList,
  market_price: marketOperations.marketPrice,
  news_item: eventOperations.newsList,
} as const satisfies Record<ListedResource, Operation>

/** How the items of a change are read: the list of its resource, the parameter that takes their keys, and the field that has the key. */
export const itemLists = Object.fromEntries(
  listedResources.map(resource => {
    const list: Operation = lists[resource]
    const key = primaryKeys[resource]
    const [parameter] =
      Object.entries(list.parameters).find(
        ([, { compares }]) => compares?.by === 'any' && compares.fields.join() === key,
      ) ?? []
    if (parameter === undefined) throw new Error(`${list.id} has no parameter that takes the keys of items`)
    return [resource, { list, parameter, key }]
  }),
) as Record<ListedResource, { list: Operation; parameter: string; key: string }>
