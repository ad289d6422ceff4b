/** An OpenAPI document, which edits change in place. */
const document = JSON.parse('{}')
type Document = typeof document
export type Edit = (document: Document) => unknown

/** A breaking change, what is reported about it, and the opposite change, which is not reported. */
export interface Case {
  breaks: Edit
  reported: string
  harmless?: Edit
  /** Applied to both documents first, for a construct that the published ones do not use. */
  given?: Edit
}

const list = (d: Document) => d.paths['/nations'].get
const own = (d: Document) => d.paths['/me/nation'].get
const ok = (d: Document) => list(d).responses[200]
const parameter = (d: Document, name: string) =>
  list(d).parameters.find((each: { name: string }) => each.name === name)
const schemas = (d: Document) => d.components.schemas
const nation = (d: Document) => schemas(d).Nation
const field = (d: Document) => nation(d).properties
const boards = (d: Document) =>
  d.paths['/rankings'].get.responses[200].content['application/json'].schema.properties.data.items.anyOf
const jsonOf = (operation: Document) => operation.requestBody.content['application/json'].schema
const body = (d: Document) => jsonOf(d.paths['/keys'].post)
const replay = (d: Document) => jsonOf(d.paths['/webhooks/{id}/replay'].post).anyOf
const treaty = (d: Document) => schemas(d).FactPutTreaty.properties
const stream = (d: Document) =>
  d.paths['/events/stream'].get.responses[200].content['text/event-stream'].schema

const without = (values: unknown[], value: unknown) => values.splice(values.indexOf(value), 1)
const all =
  (...edits: Edit[]): Edit =>
  d => {
    for (const edit of edits) edit(d)
  }
const text = { type: 'string' }
const newParameter = { name: 'new', in: 'query', schema: text }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const publicCases: Record<string, Case> = {
  'an operation is removed': {
    breaks: d => delete d.paths['/nations'],
    reported: 'nations.list: GET /nations is removed',
    harmless: d => (d.paths['/new'] = { get: { operationId: 'new', responses: {} } }),
  },
  'an operation has another id': {
    breaks: d => (list(d).operationId = 'nations.all'),
    reported: 'nations.list: is renamed nations.all',
  },
  'an operation requires a scope': {
    breaks: d => (list(d)['x-scope'] = 'nation.read'),
    reported: 'nations.list: requires the scope nation.read, not none',
    harmless: d => (own(d)['x-scope'] = 'none'),
  },
  'a section requires another scope': {
    breaks: d => (own(d)['x-include-scopes'].military = 'economy.read'),
    reported: 'me.nation: include=military requires the scope economy.read, not military.read',
    harmless: d => (own(d)['x-include-scopes'].new = 'economy.read'),
  },
  'anonymous requests are refused': {
    breaks: d => list(d).security.shift(),
    reported: 'nations.list: requires bearer',
    harmless: d => own(d).security.push({}),
  },
  'a parameter is removed': {
    breaks: d => without(list(d).parameters, parameter(d, 'search')),
    reported: 'nations.list: parameter search is removed',
    harmless: d => list(d).parameters.push(newParameter),
  },
  'a required parameter is added': {
    breaks: d => list(d).parameters.push({ ...newParameter, required: true }),
    reported: 'nations.list: parameter new is required',
  },
  'a parameter becomes required': {
    breaks: d => (parameter(d, 'search').required = true),
    reported: 'nations.list: parameter search is required',
    harmless: d => (d.paths['/nations/{id}'].get.parameters[0].required = false),
  },
  'the maximum of a parameter is lowered': {
    breaks: d => (parameter(d, 'limit').schema.maximum = 50),
    reported: 'nations.list: parameter limit has a smaller maximum',
    harmless: d => (parameter(d, 'limit').schema.maximum = 500),
  },
  'a parameter gets a minimum': {
    breaks: d => (parameter(d, 'limit').schema.exclusiveMinimum = 5),
    reported: 'nations.list: parameter limit has a larger exclusiveMinimum',
    harmless: d => delete parameter(d, 'min_score').schema.minimum,
  },
  'the items of a parameter get another pattern': {
    breaks: d => (parameter(d, 'ids').schema.items.pattern = '^n'),
    reported: 'nations.list: parameter ids[] has another pattern',
    harmless: d => delete parameter(d, 'ids').schema.items.pattern,
  },
  'a number must be an integer': {
    breaks: d => (parameter(d, 'min_score').schema.type = 'integer'),
    reported: 'nations.list: parameter min_score does not accept number',
    harmless: d => (parameter(d, 'limit').schema.type = 'number'),
  },
  'the default of a parameter is changed': {
    breaks: d => (parameter(d, 'limit').schema.default = 10),
    reported: 'nations.list: parameter limit has the default 10, not 25',
  },
  'a value of a parameter is removed': {
    breaks: d => without(parameter(d, 'status').schema.enum, 'inactive'),
    reported: 'nations.list: parameter status does not accept "inactive"',
    harmless: d => parameter(d, 'status').schema.enum.push('dreaming'),
  },
  'a parameter accepts listed values only': {
    breaks: d => (parameter(d, 'search').schema.enum = ['a']),
    reported: 'nations.list: parameter search accepts listed values only',
    harmless: d => delete parameter(d, 'status').schema.enum,
  },
  'a parameter is serialized in another way': {
    breaks: d => (parameter(d, 'ids').explode = true),
    reported: 'nations.list: parameter ids is serialized in another way',
  },
  'a status is removed': {
    breaks: d => delete list(d).responses[304],
    reported: 'nations.list: response 304 is removed',
    harmless: d => (list(d).responses[410] = { description: 'Gone.' }),
  },
  'a media type of a response is removed': {
    breaks: d => delete ok(d).content['application/json'],
    reported: 'nations.list: response 200 is not sent as application/json',
    harmless: d => (ok(d).content['text/csv'] = { schema: text }),
  },
  'a header is removed': {
    breaks: d => delete ok(d).headers.etag,
    reported: 'nations.list: response 200 has no header etag',
    harmless: d => (ok(d).headers['x-new'] = { schema: text }),
  },
  'a header of a shared response is removed': {
    breaks: d => delete d.components.responses.NotFound.headers['cache-control'],
    reported: 'NotFound: NotFound has no header cache-control',
  },
  'a shared header becomes another type': {
    breaks: d => (d.components.headers['x-ratelimit-limit'].schema.type = 'string'),
    reported: 'x-ratelimit-limit: x-ratelimit-limit may be string',
    harmless: d => (d.components.headers['x-ratelimit-limit'].schema.minimum = 5),
  },
  'an error code is removed': {
    breaks: d => (d.components.responses.NotFound.description = 'Not found.'),
    reported: 'NotFound: NotFound has no error code not_found',
    harmless: d => (d.components.responses.NotFound.description = '`not_found`: No.\n\n`gone`: Yes.'),
  },
  'a field is removed': {
    breaks: d => delete field(d).motto,
    reported: 'Nation: Nation.motto is removed',
    harmless: all(
      d => (field(d).brand_new = text),
      d => nation(d).required.push('brand_new'),
    ),
  },
  'a field may be missing': {
    breaks: d => without(nation(d).required, 'motto'),
    reported: 'Nation: Nation.motto may be missing',
    harmless: d => schemas(d).Event.required.push('summary'),
  },
  'a field may be null': {
    breaks: d => (field(d).nation_name.type = ['string', 'null']),
    reported: 'Nation: Nation.nation_name may be null',
    harmless: d => (field(d).motto.type = 'string'),
  },
  'a named field may be null': {
    breaks: d => {
      const { properties } = d.paths['/nations/{id}'].get.responses[200].content['application/json'].schema
      properties.data = { anyOf: [ref('Nation'), { type: 'null' }] }
    },
    reported: 'nations.get: response 200.data may be null',
  },
  'an integer may have decimals': {
    breaks: d => (field(d).wars.properties.won.type = 'number'),
    reported: 'Nation: Nation.wars.won may be number',
    harmless: d => (field(d).national_score.type = 'integer'),
  },
  'the format of a field is changed': {
    breaks: d => (field(d).updated_at.format = 'date'),
    reported: 'Nation: Nation.updated_at has another format',
    harmless: d => (field(d).url.format = 'uri'),
  },
  'a field may be longer than its limit': {
    breaks: d => (field(d).nation_name.maxLength = 200),
    reported: 'Nation: Nation.nation_name has a larger maxLength',
    harmless: d => (field(d).nation_name.maxLength = 50),
  },
  'a field may be negative': {
    breaks: d => delete field(d).national_score.minimum,
    reported: 'Nation: Nation.national_score has a smaller minimum',
    harmless: d => (field(d).national_score.minimum = 1),
  },
  'a field requires a scope': {
    breaks: d => (field(d).motto['x-scope'] = 'nation.read'),
    reported: 'Nation: Nation.motto requires the scope nation.read',
    harmless: d => delete schemas(d).OwnNation.properties.military['x-scope'],
  },
  'a variant of a response is removed': {
    breaks: d => boards(d).shift(),
    reported: 'rankings.list: response 200.data[] is no longer NationRanking',
    harmless: d => boards(d).push(ref('War')),
  },
  'an event of the stream loses a field of its own': {
    given: all(
      d => (schemas(d).StreamedEvent = { properties: { only_here: text } }),
      d => (stream(d).contentSchema = ref('StreamedEvent')),
    ),
    breaks: d => delete schemas(d).StreamedEvent.properties.only_here,
    reported: 'StreamedEvent: StreamedEvent.only_here is removed',
    harmless: d => (schemas(d).StreamedEvent.properties.new = text),
  },
}

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
    harmless: d => delete treaty(d).data.properties.alliance_ids.minItems,
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
