import { battleStatuses, warStatuses } from '../resources/war.ts'
import { derivedListOperation, itemOperation, listOperation } from './operation.ts'
import {
  enumParam,
  filterBy,
  filterByField,
  idListParam,
  idParam,
  limit,
  page,
  pathIdParam,
  relatedIdListParam,
  timeParam,
} from './parameters.ts'

export const warOperations = {
  warsList: listOperation('war', {
    id: 'wars.list',
    path: '/wars',
    tag: 'Wars',
    summary: 'List wars',
    description: 'Wars by declared_at, newest first, then id.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      status: filterBy('status', enumParam(warStatuses, 'Only active wars, or only ended ones.')),
      nation_id: relatedIdListParam('Only wars in which one of these nations is a side or a participant.', [
        'n42',
        'n9',
      ]),
      alliance_id: relatedIdListParam(
        'Only wars whose attacker or defender was in one of these alliances at the declaration.',
        ['a7', 'a3'],
      ),
      conflict_id: filterBy('conflict_id', idParam('Only wars of this global conflict.', 'c4')),
      follows_war_id: filterBy('follows_war_id', idParam('Only wars that continue this war.', 'w310')),
      ids: filterBy('id', idListParam('Only these wars.', ['w310', 'w311'])),
    },
  }),

  warsGet: itemOperation('war', {
    id: 'wars.get',
    path: '/wars/{id}',
    tag: 'Wars',
    summary: 'Read a war',
    description: 'One war.',
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The war’s id.', 'w310') },
    errors: ['not_found'],
  }),

  warsBattles: derivedListOperation('battle', {
    id: 'wars.battles',
    path: '/wars/{id}/battles',
    tag: 'Wars',
    summary: 'List the battles of a war',
    description: 'Battles by fought_at, oldest first, then id.',
    scope: 'none',
    cache: 'public',
    narrowed: { component: 'Battle', description: 'A battle of a war.', neverNull: ['war_id'] },
    order: { fought_at: 'ascending', id: 'ascending' },
    parameters: { id: filterBy('war_id', pathIdParam('The war’s id.', 'w310')), page, limit },
    errors: ['not_found'],
  }),
}

export const battleOperations = {
  battlesList: derivedListOperation('battle', {
    id: 'battles.list',
    path: '/battles',
    tag: 'Wars',
    summary: 'List battles',
    description: 'Battles of all wars by fought_at, newest first, then id.',
    scope: 'none',
    cache: 'public',
    order: { fought_at: 'descending', id: 'ascending' },
    parameters: {
      page,
      limit,
      nation_id: filterBy(
        [
          'attacker_nation_id',
          'defender_nation_id',
          'attacker_helper_nation_ids',
          'defender_helper_nation_ids',
        ],
        relatedIdListParam('Only battles with one of these nations on either side, or helping it.', [
          'n42',
          'n9',
        ]),
      ),
      alliance_id: filterBy(
        ['attacker_alliance_id', 'defender_alliance_id'],
        relatedIdListParam('Only battles with one of these alliances, at the battle, on either side.', [
          'a7',
          'a3',
        ]),
      ),
      war_id: filterBy('war_id', idParam('Only battles of this war.', 'w310')),
      conflict_id: filterByField(
        { resource: 'war', field: 'conflict_id' },
        'war_id',
        idParam('Only battles of the wars of this global conflict.', 'c4'),
      ),
      status: filterBy('status', enumParam(battleStatuses, 'Only battles that last, or only ended ones.')),
      since: filterBy('fought_at', timeParam('Only battles fought at or after this time.'), 'min'),
      until: filterBy('fought_at', timeParam('Only battles fought before this time.'), 'below'),
      ids: filterBy('id', idListParam('Only these battles.', ['b9001', 'b9002'])),
    },
  }),

  battlesGet: itemOperation('battle', {
    id: 'battles.get',
    path: '/battles/{id}',
    tag: 'Wars',
    summary: 'Read a battle',
    description: 'One battle.',
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The battle’s id.', 'b9001') },
    errors: ['not_found'],
  }),
}

export const conflictOperations = {
  conflictsList: listOperation('conflict', {
    id: 'conflicts.list',
    path: '/global-conflicts',
    tag: 'Wars',
    summary: 'List global conflicts',
    description: 'Global conflicts by started_at, newest first, then id.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      ids: filterBy('id', idListParam('Only these global conflicts.', ['c4', 'c5'])),
    },
  }),
}
