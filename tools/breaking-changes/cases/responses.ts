import { both, push, remove, set } from '../edit.ts'
import { type Case, operatorCase, publicCase } from './case.ts'

const list = 'paths /nations get'
const nation = 'components schemas Nation'
const field = `${nation} properties`
const stream = 'paths /events/stream get responses 200 content text/event-stream schema'

export const responses: Case[] = [
  publicCase(
    'a status is removed',
    remove(`${list} responses 304`),
    'nations.list: response 304 is removed',
    set(`${list} responses 410`, { description: 'Gone.' }),
  ),
  publicCase(
    'a media type of a response is removed',
    remove(`${list} responses 200 content application/json`),
    'nations.list: response 200 is not sent as application/json',
    set(`${list} responses 200 content text/csv`, { schema: { type: 'string' } }),
  ),
  publicCase(
    'a header is removed',
    remove(`${list} responses 200 headers etag`),
    'nations.list: response 200 has no header etag',
    set(`${list} responses 200 headers x-new`, { schema: { type: 'string' } }),
  ),
  publicCase(
    'a header of a shared response is removed',
    remove('components responses NotFound headers cache-control'),
    'NotFound: NotFound has no header cache-control',
  ),
  publicCase(
    'a shared header becomes another type',
    set('components headers x-ratelimit-limit schema type', 'string'),
    'x-ratelimit-limit: x-ratelimit-limit may be string',
    set('components headers x-ratelimit-limit schema minimum', 5),
  ),
  publicCase(
    'an error code is removed',
    set('components responses NotFound description', 'Nothing is here.'),
    'NotFound: NotFound has no error code not_found',
    set('components responses NotFound description', '`not_found`: No.\n\n`gone`: Yes.'),
  ),
  publicCase(
    'a field is removed',
    remove(`${field} motto`),
    'Nation: Nation.motto is removed',
    both(set(`${field} brand_new`, { type: 'string' }), push(`${nation} required`, 'brand_new')),
  ),
  publicCase(
    'a field may be missing',
    remove(`${nation} required motto`),
    'Nation: Nation.motto may be missing',
    push('components schemas Event required', 'summary'),
  ),
  publicCase(
    'a field may be null',
    set(`${field} nation_name type`, ['string', 'null']),
    'Nation: Nation.nation_name may be null',
    set(`${field} motto type`, 'string'),
  ),
  publicCase(
    'a named field may be null',
    set('paths /nations/{id} get responses 200 content application/json schema properties data', {
      anyOf: [{ $ref: '#/components/schemas/Nation' }, { type: 'null' }],
    }),
    'nations.get: response 200.data may be null',
  ),
  publicCase(
    'a field becomes another type',
    set(`${field} national_score type`, 'string'),
    'Nation: Nation.national_score may be string',
  ),
  publicCase(
    'an integer may have decimals',
    set(`${field} wars properties won type`, 'number'),
    'Nation: Nation.wars.won may be number',
    set(`${field} national_score type`, 'integer'),
  ),
  publicCase(
    'a nested field is removed',
    remove(`${field} wars properties won`),
    'Nation: Nation.wars.won is removed',
    set(`${field} wars properties drawn`, { type: 'integer' }),
  ),
  publicCase(
    'items of a field become another type',
    set('components schemas Event properties nation_ids items type', 'integer'),
    'Event: Event.nation_ids[] may be integer',
  ),
  publicCase(
    'the format of a field is changed',
    set(`${field} updated_at format`, 'date'),
    'Nation: Nation.updated_at has another format',
    set(`${field} url format`, 'uri'),
  ),
  publicCase(
    'a field may be longer than its limit',
    set(`${field} nation_name maxLength`, 200),
    'Nation: Nation.nation_name has a larger maxLength',
    set(`${field} nation_name maxLength`, 50),
  ),
  publicCase(
    'a field may be negative',
    remove(`${field} national_score minimum`),
    'Nation: Nation.national_score has a smaller minimum',
    set(`${field} national_score minimum`, 1),
  ),
  publicCase(
    'a field requires a scope',
    set(`${field} motto x-scope`, 'nation.read'),
    'Nation: Nation.motto requires the scope nation.read',
    remove('components schemas OwnNation properties military x-scope'),
  ),
  operatorCase(
    'a constant of a response is changed',
    set(
      'paths /refused/{id} delete responses 200 content application/json schema properties dropped const',
      1,
    ),
    'refused.drop: response 200.dropped may be other than true',
  ),
  publicCase(
    'a variant of a response is removed',
    remove('paths /rankings get responses 200 content application/json schema properties data items anyOf 0'),
    'rankings.list: response 200.data[] is no longer NationRanking',
    push('paths /rankings get responses 200 content application/json schema properties data items anyOf', {
      $ref: '#/components/schemas/War',
    }),
  ),
  publicCase(
    'the data of a kind of event is removed',
    both(
      remove('components schemas EventDataWarDeclared'),
      remove('components schemas Event properties data anyOf 0'),
    ),
    [
      'Event: Event.data is no longer EventDataWarDeclared',
      'EventDataWarDeclared: EventDataWarDeclared is removed',
    ],
    both(
      set('components schemas EventDataNew', { type: 'object' }),
      push('components schemas Event properties data anyOf', { $ref: '#/components/schemas/EventDataNew' }),
    ),
  ),
  publicCase(
    'an event of the stream loses a field',
    remove('components schemas Event properties war_id'),
    'Event: Event.war_id is removed',
  ),
  {
    ...publicCase(
      'an event of the stream loses a field of its own',
      remove('components schemas StreamedEvent properties only_here'),
      'StreamedEvent: StreamedEvent.only_here is removed',
      set('components schemas StreamedEvent properties new', { type: 'string' }),
    ),
    given: both(
      set('components schemas StreamedEvent', { properties: { only_here: { type: 'string' } } }),
      set(`${stream} contentSchema`, { $ref: '#/components/schemas/StreamedEvent' }),
    ),
  },
]
