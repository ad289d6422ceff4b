import { itemOperation, listOperation } from './operation.ts'
import { limit, page, profileEnumParam } from './parameters.ts'

export const marketPrice = listOperation('market_price', {
  id: 'market.price',
  path: '/market/price',
  tag: 'Market',
  summary: 'List market prices',
  description: 'One item per traded resource, by the resource’s key.',
  scope: 'none',
  cache: 'public',
  parameters: { page, limit, resource: profileEnumParam('Only this resource.', 'resources', 5) },
})

export const marketRankings = listOperation('market_ranking', {
  id: 'market.rankings',
  path: '/market/rankings',
  tag: 'Market',
  summary: 'Rank resources by money traded',
  description: 'Resources by traded_value_24h, highest first, null last, then key.',
  scope: 'none',
  cache: 'public',
  parameters: { page, limit },
})

export const gameGet = itemOperation('game', {
  id: 'game.get',
  path: '/game',
  tag: 'Game',
  summary: 'Read the game and its terms',
  description: 'The game’s name, the terms of its profile, the current era, and when the world last changed.',
  scope: 'none',
  cache: 'public',
  parameters: {},
})

export const erasList = listOperation('era', {
  id: 'eras.list',
  path: '/eras',
  tag: 'Game',
  summary: 'List eras',
  description: 'Eras by started_at, newest first, null last, then id.',
  scope: 'none',
  cache: 'public',
  parameters: { page, limit },
})
