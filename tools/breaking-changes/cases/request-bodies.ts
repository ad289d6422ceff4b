import { both, push, remove, set } from '../edit.ts'
import { type Case, operatorCase } from './case.ts'

const keys = 'paths /keys post'
const body = `${keys} requestBody content application/json schema`
const treaty = 'components schemas FactPutTreaty properties data'
const replay = 'paths /webhooks/{id}/replay post requestBody content application/json schema'

export const requestBodies: Case[] = [
  operatorCase(
    'a request body becomes required',
    set('paths /backup post requestBody', { required: true, content: {} }),
    'backup.take: a request body is required',
    set(`${keys} requestBody required`, false),
  ),
  operatorCase(
    'a media type of a request is removed',
    remove('paths /facts post requestBody content application/x-ndjson'),
    'facts.send: does not accept application/x-ndjson',
    set(`${keys} requestBody content text/plain`, { schema: { type: 'string' } }),
  ),
  operatorCase(
    'a required member is added to a request',
    both(set(`${body} properties reason`, { type: 'string' }), push(`${body} required`, 'reason')),
    'keys.create: body.reason is required',
    set(`${body} properties reason`, { type: 'string' }),
  ),
  operatorCase(
    'a member of a request becomes required',
    push(`${body} required`, 'scopes'),
    'keys.create: body.scopes is required',
    remove(`${body} required name`),
  ),
  operatorCase(
    'a member of a request is removed',
    remove(`${body} properties scopes`),
    'keys.create: body.scopes is removed',
  ),
  operatorCase(
    'a member of a request may not be null any more',
    set(`${body} properties limit type`, 'integer'),
    'keys.create: body.limit does not accept null',
    set(`${body} properties name type`, ['string', 'null']),
  ),
  operatorCase(
    'a value of a member of a request is removed',
    remove(`${body} properties scopes items enum nation.read`),
    'keys.create: body.scopes[] does not accept "nation.read"',
    push(`${body} properties scopes items enum`, 'war.read'),
  ),
  operatorCase(
    'the maximum of a member of a request is lowered',
    set(`${body} properties limit maximum`, 100),
    'keys.create: body.limit has a smaller maximum',
    remove(`${body} properties limit maximum`),
  ),
  operatorCase(
    'the length of a member of a request is raised',
    set(`${body} properties name minLength`, 5),
    'keys.create: body.name has a larger minLength',
    set(`${body} properties name minLength`, 0),
  ),
  operatorCase(
    'a member of a request gets a pattern',
    set(`${body} properties name pattern`, '^[a-z]+$'),
    'keys.create: body.name has another pattern',
    remove(`${body} properties player_id pattern`),
  ),
  operatorCase(
    'the format of a member of a request is changed',
    set(`${body} properties expires_at format`, 'date'),
    'keys.create: body.expires_at has another format',
    remove(`${body} properties expires_at format`),
  ),
  operatorCase(
    'the type of the items of a request is changed',
    set(`${body} properties scopes items type`, 'integer'),
    'keys.create: body.scopes[] does not accept string',
  ),
  operatorCase(
    'the fewest items of a request are raised',
    set('paths /tokens post requestBody content application/json schema properties roles minItems', 2),
    'tokens.create: body.roles has a larger minItems',
    set('paths /tokens post requestBody content application/json schema properties roles maxItems', 9),
  ),
  operatorCase(
    'the items of a request must be unique',
    set(`${body} properties scopes uniqueItems`, true),
    'keys.create: body.scopes must be unique',
    remove('paths /tokens post requestBody content application/json schema properties roles uniqueItems'),
  ),
  {
    ...operatorCase(
      'a request object is closed to further members',
      set('components schemas FactPutNation additionalProperties', false),
      'FactPutNation: FactPutNation does not accept further members',
      set('components schemas FactPutTreaty additionalProperties', true),
    ),
    given: remove('components schemas FactPutNation additionalProperties'),
  },
  operatorCase(
    'a variant of a request is removed',
    remove(`${replay} anyOf 1`),
    'webhooks.replay: body has one variant less',
    push(`${replay} anyOf`, { type: 'object', properties: { all: { type: 'boolean' } } }),
  ),
  operatorCase(
    'a named variant of a request is removed',
    remove('components schemas BatchFact anyOf 0'),
    'BatchFact: BatchFact is no longer FactPutAlliance',
    push('components schemas BatchFact anyOf', { $ref: '#/components/schemas/FactCommit' }),
  ),
  operatorCase(
    'the members of a fact are narrowed, in the schema of a stream',
    set(`${treaty} properties alliance_ids minItems`, 3),
    'FactPutTreaty: FactPutTreaty.data.alliance_ids has a larger minItems',
    remove(`${treaty} properties alliance_ids minItems`),
  ),
  operatorCase(
    'a constant of a fact is changed',
    set('components schemas FactPutTreaty properties resource const', 'pact'),
    'FactPutTreaty: FactPutTreaty.resource does not accept "treaty"',
    both(
      remove('components schemas FactPutTreaty properties resource const'),
      set('components schemas FactPutTreaty properties resource enum', ['treaty', 'pact']),
    ),
  ),
]
