import { priceIntervals } from '../resources/history.ts'
import { derivedListOperation, itemOperation, listOperation } from './operation.ts'
import {
  dateOrTimeParam,
  enumParamWithDefault,
  filterBy,
  historyLimit,
  idListParam,
  limit,
  page,
  profileEnumListParam,
  profileEnumParam,
} from './parameters.ts'

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

  marketHistory: listOperation('price_history_point', {
    id: 'market.history',
    path: '/market/price/history',
    tag: 'Market',
    summary: 'Read the history of market prices',
    description:
      'Prices by hour or by day, by from, oldest first, then the resource’s key. Hours are kept for 30 days; days by default for 400. An hour or a day in which the game sent no price has no point. A price that was sent late counts to its hour and day. The history of a resource ends when its price is deleted, and with the era.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit: historyLimit,
      resource: profileEnumParam('Only this resource.', 'resources', 5),
      interval: enumParamWithDefault(priceIntervals, 'hour', 'A point for each hour or for each day.'),
      from: dateOrTimeParam('Only hours or days that begin at or after this.', '2026-05-01'),
      to: dateOrTimeParam('Only hours or days that begin before this.', '2026-06-01'),
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
