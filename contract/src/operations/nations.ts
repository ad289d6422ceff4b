import { ids, limit, page, pathId, relatedIds, score, search, word } from '../parameters.ts'
import { nationStatuses } from '../resources/nation.ts'
import { listOperation, oneOperation } from './operation.ts'

export const nationsList = listOperation('nation', {
  id: 'nations.list',
  path: '/nations',
  tag: 'Nations',
  summary: 'List nations',
  description:
    'Nations in the order of the latest ranking round: national_score, highest first, then id; newer nations last. With `search`: exact name first, then names that begin with it, then by score.',
  scope: 'none',
  body: 'shared',
  parameters: {
    page,
    limit,
    search: search(
      'Text that the nation’s or its leader’s name contains, in any case. At most 100 characters; % and _ stand for themselves.',
    ),
    ids: ids('Only these nations.', 'n42'),
    alliance_id: relatedIds('Only members of these alliances.', 'a7'),
    status: word(nationStatuses, 'Only nations of this status.'),
    min_score: score('Only nations with at least this national_score.'),
    max_score: score('Only nations with at most this national_score.'),
  },
})

export const nationsGet = oneOperation('nation', {
  id: 'nations.get',
  path: '/nations/{id}',
  tag: 'Nations',
  summary: 'Read a nation',
  description: 'One nation: its public fields, for everybody the same.',
  scope: 'none',
  body: 'shared',
  parameters: { id: pathId('The nation’s id.', 'n42') },
  errors: ['not_found'],
})
