import { limit, page, wordOrDefault } from '../parameters.ts'
import { listOperation } from './operation.ts'

export const rankingsList = listOperation(['nation_ranking', 'alliance_ranking'], {
  id: 'rankings.list',
  path: '/rankings',
  tag: 'Nations',
  summary: 'Rank nations or alliances',
  description:
    'Nations by national_score or alliances by total_score, highest first, then id, as of the latest ranking round. Pages of one round fit together.',
  scope: 'none',
  body: 'shared',
  parameters: {
    page,
    limit,
    board: wordOrDefault(['nations', 'alliances'], 'nations', 'What to rank: nations or alliances.'),
  },
})
