import { all, type Case, type Document, ref, schemas, text, without } from './cases.ts'

const jsonOf = (operation: Document) => operation.requestBody.content['application/json'].schema
const treaty = (d: Document) => schemas(d).FactPutTreaty.properties
const replay = (d: Document) => jsonOf(d.paths['/webhooks/{id}/replay'].post).anyOf
const body = (d: Document) => jsonOf(d.paths['/keys'].post)

export const operatorCases: Record<string, Case> = {
  'a role may not call an operation any more': {
    breaks: d => without(d.paths['/facts'].post['x-roles'], 'facts'),
    reported: 'facts.send: is closed to the role facts',
    harmless: d => d.paths['/keys'].post['x-roles'].push('identity'),
  },
  'a request body becomes required': {
    breaks: d => (d.paths['/backup'].post.requestBody = { required: true, content: {} }),
    reported: 'backup.take: a request body is required',
    harmless: d => (d.paths['/keys'].post.requestBody.required = false),
  },
  'a media type of a request is removed': {
    breaks: d => delete d.paths['/facts'].post.requestBody.content['application/x-ndjson'],
    reported: 'facts.send: does not accept application/x-ndjson',
    harmless: d => (d.paths['/keys'].post.requestBody.content['text/plain'] = { schema: text }),
  },
  'a required member is added to a request': {
    breaks: all(
      d => (body(d).properties.reason = text),
      d => body(d).required.push('reason'),
    ),
    reported: 'keys.create: body.reason is required',
    harmless: d => (body(d).properties.reason = text),
  },
  'a member of a request becomes required': {
    breaks: d => body(d).required.push('scopes'),
    reported: 'keys.create: body.scopes is required',
    harmless: d => without(body(d).required, 'name'),
  },
  'a member of a request is removed': {
    breaks: d => delete body(d).properties.scopes,
    reported: 'keys.create: body.scopes is removed',
  },
  'a member of a request may not be null any more': {
    breaks: d => (body(d).properties.limit.type = 'integer'),
    reported: 'keys.create: body.limit does not accept null',
    harmless: d => (body(d).properties.name.type = ['string', 'null']),
  },
  'the length of a member of a request is raised': {
    breaks: d => (body(d).properties.name.minLength = 5),
    reported: 'keys.create: body.name has a larger minLength',
    harmless: d => (body(d).properties.name.minLength = 0),
  },
  'the format of a member of a request is changed': {
    breaks: d => (body(d).properties.expires_at.format = 'date'),
    reported: 'keys.create: body.expires_at has another format',
    harmless: d => delete body(d).properties.expires_at.format,
  },
  'the items of a request must be unique': {
    breaks: d => (body(d).properties.scopes.uniqueItems = true),
    reported: 'keys.create: body.scopes must be unique',
    harmless: d => delete jsonOf(d.paths['/tokens'].post).properties.roles.uniqueItems,
  },
  'a request object is closed to further members': {
    given: d => delete schemas(d).FactPutNation.additionalProperties,
    breaks: d => (schemas(d).FactPutNation.additionalProperties = false),
    reported: 'FactPutNation: FactPutNation does not accept further members',
    harmless: d => (schemas(d).FactPutTreaty.additionalProperties = true),
  },
  'a variant of a request is removed': {
    breaks: d => replay(d).pop(),
    reported: 'webhooks.replay: body has one variant less',
    harmless: d => replay(d).push({ type: 'object', properties: { all: { type: 'boolean' } } }),
  },
  'a named variant of a request is removed': {
    breaks: d => schemas(d).BatchFact.anyOf.shift(),
    reported: 'BatchFact: BatchFact is no longer FactPutAlliance',
    harmless: d => schemas(d).BatchFact.anyOf.push(ref('FactCommit')),
  },
  'the members of a fact are narrowed, in the schema of a stream': {
    breaks: d => (treaty(d).data.properties.alliance_ids.minItems = 3),
    reported: 'FactPutTreaty: FactPutTreaty.data.alliance_ids has a larger minItems',
    harmless: d => delete treaty(d).data.properties.alliance_ids.maxItems,
  },
  'a constant of a fact is changed': {
    breaks: d => (treaty(d).resource.const = 'pact'),
    reported: 'FactPutTreaty: FactPutTreaty.resource does not accept "treaty"',
    harmless: d => (treaty(d).resource = { enum: ['treaty', 'pact'] }),
  },
  'a constant of a response is changed': {
    breaks: d => {
      const { schema } = d.paths['/refused/{id}'].delete.responses[200].content['application/json']
      schema.properties.dropped.const = 1
    },
    reported: 'refused.drop: response 200.dropped may be other than true',
  },
}
