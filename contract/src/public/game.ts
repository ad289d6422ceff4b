import { derivedListOperation, itemOperation, listOperation } from './operation.ts'
import { filterBy, idListParam, limit, page, profileEnumListParam } from './parameters.ts'

export const gameOperations = {
  gameGet: itemOperation('game', {
    id: 'game.get',
    path: '/game',
    tag: 'Game',
    summary: 'Read the game and its terms',
    description:
      'The game’s name, the terms of its profile, the current era, and when the world last changed.',
    scope: 'none',
    cache: 'public',
    parameters: {},
  }),

  erasList: derivedListOperation('era', {
    id: 'eras.list',
    path: '/eras',
    tag: 'Game',
    summary: 'List eras',
    description: 'Eras by started_at, newest first, null last, then id.',
    scope: 'none',
    cache: 'public',
    order: { started_at: 'descending', id: 'ascending' },
    parameters: { page, limit, ids: filterBy('id', idListParam('Only these eras.', ['e1', 'e2'])) },
  }),
}

export const marketOperations = {
  marketPrice: derivedListOperation('market_price', {
    id: 'market.price',
    path: '/market/price',
    tag: 'Market',
    summary: 'List market prices',
    description: 'One item per traded resource, by the resource’s key.',
    scope: 'none',
    cache: 'public',
    order: { resource: 'ascending' },
    parameters: {
      page,
      limit,
      resource: filterBy('resource', profileEnumListParam('Only these resources.', 'resources', 5)),
    },
  }),

  marketRankings: listOperation('market_ranking', {
    id: 'market.rankings',
    path: '/market/rankings',
    tag: 'Market',
    summary: 'Rank resources by money traded',
    description: 'Resources by traded_value_24h, highest first, null last, then key.',
    scope: 'none',
    cache: 'public',
    parameters: { page, limit },
  }),
}
