import { ids, limit, page, pathId, search, words } from '../parameters.ts'
import { listOperation, oneOperation } from './operation.ts'

export const alliancesList = listOperation('alliance', {
  id: 'alliances.list',
  path: '/alliances',
  tag: 'Alliances',
  summary: 'List alliances',
  description:
    'Alliances in the order of the latest ranking round: total_score, highest first, then id; newer alliances last. With `search`: exact name or tag first, then names that begin with it, then by score.',
  scope: 'none',
  body: 'shared',
  parameters: {
    page,
    limit,
    search: search(
      'Text that the name or the tag contains, in any case. At most 100 characters; % and _ stand for themselves.',
    ),
    ids: ids('Only these alliances.', 'a7'),
  },
})

export const alliancesGet = oneOperation('alliance', {
  id: 'alliances.get',
  path: '/alliances/{id}',
  tag: 'Alliances',
  summary: 'Read an alliance',
  description:
    'One alliance. With `include=treasury` also its treasury: that needs a key with treasury.read whose player may see this treasury in the game now.',
  scope: 'none',
  body: 'shared',
  view: 'owner',
  parameters: {
    id: pathId('The alliance’s id.', 'a7'),
    include: words(['treasury'], 'Private sections to add: treasury.'),
  },
  includeScopes: { treasury: 'treasury.read' },
  errors: ['not_found', 'not_entitled'],
})

export const alliancesMembers = listOperation('alliance_member', {
  id: 'alliances.members',
  path: '/alliances/{id}/members',
  tag: 'Alliances',
  summary: 'List the members of an alliance',
  description:
    'Members by rank, highest first, then national_score, highest first, then id. Applicants are not listed.',
  scope: 'none',
  body: 'shared',
  parameters: { id: pathId('The alliance’s id.', 'a7'), page, limit },
  errors: ['not_found'],
})
