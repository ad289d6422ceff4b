import { limit, oneWord, page } from '../parameters.ts'
import { listOperation } from './operation.ts'

export const marketPrice = listOperation('market_price', {
  id: 'market.price',
  path: '/market/price',
  tag: 'Market',
  summary: 'List market prices',
  description: 'One item for each traded resource, by the resource’s key.',
  scope: 'none',
  body: 'shared',
  parameters: { page, limit, resource: oneWord('Only this resource.', 'resources', 5) },
})

export const marketRankings = listOperation('market_ranking', {
  id: 'market.rankings',
  path: '/market/rankings',
  tag: 'Market',
  summary: 'Rank resources by money traded',
  description: 'Resources by traded_value_24h, highest first, those without one last, then by key.',
  scope: 'none',
  body: 'shared',
  parameters: { page, limit },
})
