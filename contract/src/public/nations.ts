import { nationStatuses } from '../profile/profile.ts'
import { treatyStatuses } from '../resources/treaty.ts'
import { derivedListOperation, itemOperation, listOperation } from './operation.ts'
import {
  boundParam,
  dateOrTimeParam,
  enumListParam,
  enumParam,
  enumParamWithDefault,
  filterBy,
  historyLimit,
  idListParam,
  limit,
  page,
  pathIdParam,
  profileEnumParam,
  rankedAttributeParam,
  relatedIdListParam,
  scoreParam,
  searchParam,
} from './parameters.ts'

/** The orders of `/nations`. */
const nationSorts = ['score', 'founded', 'cities', 'name'] as const
/** A page of a history, and the range of its days. */
const historyRange = {
  page,
  limit: historyLimit,
  from: dateOrTimeParam('Only days that begin at or after this.', '2026-05-01'),
  to: dateOrTimeParam('Only days that begin before this.', '2026-06-01'),
}

const whichDays =
  'A point is written with the first ranking round of the next day, so today has none yet; nor has a day without a round. Old points are deleted, by default after 400 days.'

export const nationOperations = {
  nationsList: listOperation('nation', {
    id: 'nations.list',
    path: '/nations',
    tag: 'Nations',
    summary: 'List nations',
    description:
      'Nations in the order of the latest ranking round: national_score, highest first, then id; new nations last. With `search`: exact matches first, then names that begin with the text, then by score. With `sort`: in its order, also with `search`, and by id where nations are equal.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      search: searchParam(
        'Text that the nation’s or its leader’s name contains, in any case. At most 100 characters; % and _ match literally.',
      ),
      ids: filterBy('id', idListParam('Only these nations.', ['n42', 'n9'])),
      alliance_id: relatedIdListParam(
        'Only members of these alliances. `none` selects nations without an alliance, also in a list; no alliance can be selected by this word as its id.',
        ['a7', 'a3'],
      ),
      status: filterBy('status', enumParam(nationStatuses, 'Only nations with this status.')),
      min_score: filterBy(
        'national_score',
        scoreParam('Only nations with at least this national_score.', 1500),
        'min',
      ),
      max_score: filterBy(
        'national_score',
        scoreParam('Only nations with at most this national_score.', 2000),
        'max',
      ),
      attribute: rankedAttributeParam(
        'Only nations with a value of this attribute: the key of one that `/game` states as `ranked` for nations.',
        ['nation'],
      ),
      min_attribute: boundParam(
        'Only nations with at least this value of `attribute`, which it requires.',
        100,
      ),
      max_attribute: boundParam(
        'Only nations with at most this value of `attribute`, which it requires.',
        500,
      ),
      sort: enumParamWithDefault(
        nationSorts,
        'score',
        'The order: `score` by the latest ranking round, `founded` by founded_at, newest first, `cities` by city_count, highest first, both null last, `name` by nation_name in lower case, character by character as in Unicode.',
      ),
    },
  }),

  nationsGet: itemOperation('nation', {
    id: 'nations.get',
    path: '/nations/{id}',
    tag: 'Nations',
    summary: 'Read a nation',
    description: 'One nation: its public fields, the same for all callers.',
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The nation’s id.', 'n42') },
    errors: ['not_found'],
  }),

  nationsHistory: listOperation('nation_history_point', {
    id: 'nations.history',
    path: '/nations/{id}/history',
    tag: 'Nations',
    summary: 'Read the history of a nation',
    description: `One point a day by date, oldest first: score, rank, cities and alliance at its end. ${whichDays} The history begins when the nation is first ranked, and ends with it: a nation that was deleted and put again has no points of before.`,
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The nation’s id.', 'n42'), ...historyRange },
    errors: ['not_found'],
  }),

  alliancesList: listOperation('alliance', {
    id: 'alliances.list',
    path: '/alliances',
    tag: 'Alliances',
    summary: 'List alliances',
    description:
      'Alliances in the order of the latest ranking round: total_score, highest first, then id; new alliances last. With `search`: exact matches of name or tag first, then names that begin with the text, then by score.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      search: searchParam(
        'Text that the name or the tag contains, in any case. At most 100 characters; % and _ match literally.',
      ),
      ids: filterBy('id', idListParam('Only these alliances.', ['a7', 'a3'])),
    },
  }),

  alliancesGet: itemOperation('alliance', {
    id: 'alliances.get',
    path: '/alliances/{id}',
    tag: 'Alliances',
    summary: 'Read an alliance',
    description:
      'One alliance. `include=treasury` adds its treasury and requires a key with treasury.read whose player may see this treasury in the game at present.',
    scope: 'none',
    cache: 'public',
    view: 'owner',
    parameters: {
      id: pathIdParam('The alliance’s id.', 'a7'),
      include: enumListParam(['treasury'], 'Private sections to add: treasury.'),
    },
    includeScopes: { treasury: 'treasury.read' },
    errors: ['not_found', 'not_entitled'],
  }),

  alliancesMembers: listOperation('alliance_member', {
    id: 'alliances.members',
    path: '/alliances/{id}/members',
    tag: 'Alliances',
    summary: 'List the members of an alliance',
    description:
      'Members by rank, highest first, then national_score, highest first, then id. Applicants are not listed.',
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The alliance’s id.', 'a7'), page, limit },
    errors: ['not_found'],
  }),

  alliancesHistory: listOperation('alliance_history_point', {
    id: 'alliances.history',
    path: '/alliances/{id}/history',
    tag: 'Alliances',
    summary: 'Read the history of an alliance',
    description: `One point a day by date, oldest first: score, rank and members at its end. ${whichDays} The history begins when the alliance is first ranked, and ends with it: an alliance that was deleted and put again has no points of before.`,
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The alliance’s id.', 'a7'), ...historyRange },
    errors: ['not_found'],
  }),
}

export const memberOperations = {
  membersList: listOperation('alliance_member', {
    id: 'members.list',
    path: '/members',
    tag: 'Alliances',
    summary: 'List the members of all alliances',
    description: 'Members of alliances by alliance id, then nation id. Applicants are not listed.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      alliance_id: filterBy(
        'alliance_id',
        relatedIdListParam('Only members of these alliances.', ['a7', 'a3']),
      ),
      ids: filterBy('nation_id', idListParam('Only these nations.', ['n42', 'n9'])),
    },
  }),
}

export const treatyOperations = {
  treatiesList: derivedListOperation('treaty', {
    id: 'treaties.list',
    path: '/treaties',
    tag: 'Treaties',
    summary: 'List treaties',
    description:
      'Treaties between alliances and between nations, also ended ones, by signed_at, newest first, then id; those without signed_at last.',
    scope: 'none',
    cache: 'public',
    order: { signed_at: 'descending', id: 'ascending' },
    parameters: {
      page,
      limit,
      nation_id: filterBy(
        'nation_ids',
        relatedIdListParam('Only treaties of one of these nations.', ['n42', 'n9']),
      ),
      alliance_id: filterBy(
        'alliance_ids',
        relatedIdListParam('Only treaties of one of these alliances.', ['a7', 'a3']),
      ),
      type: filterBy(
        'types',
        profileEnumParam('Only treaties of this kind, also among several.', 'treaty_types', 2),
      ),
      status: filterBy('status', enumParam(treatyStatuses, 'Only treaties in force, or only ended ones.')),
      ids: filterBy('id', idListParam('Only these treaties.', ['t5', 't6'])),
    },
  }),

  treatiesGet: itemOperation('treaty', {
    id: 'treaties.get',
    path: '/treaties/{id}',
    tag: 'Treaties',
    summary: 'Read a treaty',
    description: 'One treaty.',
    scope: 'none',
    cache: 'public',
    parameters: { id: pathIdParam('The treaty’s id.', 't5') },
    errors: ['not_found'],
  }),
}

/** The boards, and the resource that each lists. */
const boards = { nations: 'nation_ranking', alliances: 'alliance_ranking' } as const
const boardNames = ['nations', 'alliances'] as const satisfies (keyof typeof boards)[]

export const rankingOperations = {
  rankingsList: listOperation(Object.values(boards), {
    id: 'rankings.list',
    path: '/rankings',
    tag: 'Nations',
    summary: 'Rank nations or alliances',
    description:
      'Nations by national_score or alliances by total_score, highest first, then id, as of the latest ranking round. Pages of one round are consistent with each other. With `attribute`: by its value instead, and without those that have none.',
    scope: 'none',
    cache: 'public',
    parameters: {
      page,
      limit,
      board: enumParamWithDefault(boardNames, 'nations', 'What to rank: nations or alliances.'),
      attribute: rankedAttributeParam(
        'Rank by this attribute instead of the score: the key of one that `/game` states as `ranked` for nations or alliances.',
        ['nation', 'alliance'],
      ),
    },
    resourceBy: { parameter: 'board', resources: boards },
  }),
}
