/** An OpenAPI document, which edits change in place. */
const document = JSON.parse('{}')
export type Document = typeof document
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
export const schemas = (d: Document) => d.components.schemas
const nation = (d: Document) => schemas(d).Nation
const field = (d: Document) => nation(d).properties
const boards = (d: Document) =>
  d.paths['/rankings'].get.responses[200].content['application/json'].schema.properties.data.items.anyOf
const hook = (d: Document) => d.webhooks.event.post
const stream = (d: Document) =>
  d.paths['/events/stream'].get.responses[200].content['text/event-stream'].schema

export const without = (values: unknown[], value: unknown) => values.splice(values.indexOf(value), 1)
export const all =
  (...edits: Edit[]): Edit =>
  d => {
    for (const edit of edits) edit(d)
  }
export const text = { type: 'string' }
const newParameter = { name: 'new', in: 'query', schema: text }
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Replaces Era by two variants of it. */
const split =
  (edit: (properties: Document) => Document): Edit =>
  d => {
    const { Era } = schemas(d)
    const properties = edit(Era.properties)
    const variant = (status: string) => ({
      ...Era,
      required: Era.required.filter((name: string) => name in properties),
      properties: { ...properties, status: { type: 'string', const: status } },
    })
    Object.assign(schemas(d), { EraOver: variant('ended'), EraOther: variant('active') })
    schemas(d).Era = { oneOf: [ref('EraOver'), ref('EraOther')] }
  }

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
    harmless: d => schemas(d).EventCommon.required.push('summary'),
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
  'an integer may be negative': {
    breaks: d => delete field(d).wars.properties.won.minimum,
    reported: 'Nation: Nation.wars.won has a smaller minimum',
    harmless: d => delete field(d).national_score.minimum,
  },
  'an integer may be larger': {
    breaks: d => delete field(d).wars.properties.won.maximum,
    reported: 'Nation: Nation.wars.won has a larger maximum',
    harmless: d => delete field(d).national_score.maximum,
  },
  'a number may have more decimals': {
    breaks: d => (field(d).national_score['x-decimals'] = 5),
    reported: 'Nation: Nation.national_score has a larger x-decimals',
    harmless: d => (field(d).national_score['x-decimals'] = 3),
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
  'a part of several objects loses a field': {
    breaks: d => delete schemas(d).EventCommon.properties.summary,
    reported: 'EventCommon: EventCommon.summary is removed',
    harmless: d => (schemas(d).EventCommon.properties.new = text),
  },
  'an object is composed of parts without one of its fields': {
    breaks: d => {
      const { name, ...others } = schemas(d).Era.properties
      schemas(d).Era = {
        type: 'object',
        allOf: [{ type: 'object', properties: others }],
        required: schemas(d).Era.required,
      }
    },
    reported: 'Era: Era.name is removed',
    harmless: d => {
      const { properties, ...others } = schemas(d).Era
      schemas(d).EraPart = { type: 'object', properties }
      schemas(d).Era = { ...others, allOf: [ref('EraPart')] }
    },
  },
  'an object is split into variants, of which none has one of its fields': {
    breaks: split(({ name: _, ...others }) => others),
    reported: 'Era: Era.name is removed',
    harmless: split(properties => properties),
  },
  'an object is split into variants, of which one has another type in a field': {
    breaks: split(({ name, ...others }) => ({ ...others, name: { ...name, type: 'integer' } })),
    reported: 'Era: Era.name may be integer',
  },
  'a variant of an event is removed': {
    breaks: d => schemas(d).Event.oneOf.shift(),
    reported: 'Event: Event is no longer EventWarDeclared',
    harmless: all(
      d => (schemas(d).EventNew = structuredClone(schemas(d).EventWarEnded)),
      d => (schemas(d).EventNew.properties.type.const = 'war.new'),
      d => schemas(d).Event.oneOf.push(ref('EventNew')),
    ),
  },
  'the type of an event has another name': {
    breaks: d => (schemas(d).EventWarEnded.properties.type.const = 'war.over'),
    reported: 'EventWarEnded: EventWarEnded.type may be other than "war.ended"',
  },
  'events are discriminated by another member': {
    breaks: d => (schemas(d).Event.discriminator.propertyName = 'id'),
    reported: 'Event: Event has another discriminator',
  },
  'a webhook is removed': {
    breaks: d => delete d.webhooks.test,
    reported: 'webhooks.test: POST test is removed',
    harmless: d => (d.webhooks.new = d.webhooks.test),
  },
  'a header of a webhook is removed': {
    breaks: d => hook(d).parameters.shift(),
    reported: 'webhooks.event: has no header webhook-id',
    harmless: d => hook(d).parameters.push({ ...newParameter, in: 'header', required: true }),
  },
  'a field of a webhook is removed': {
    breaks: d => delete schemas(d).WebhookMessage.properties.timestamp,
    reported: 'WebhookMessage: WebhookMessage.timestamp is removed',
    harmless: d => (schemas(d).WebhookMessage.properties.new = text),
  },
  'the body of a webhook has another media type': {
    breaks: d => (hook(d).requestBody.content = { 'text/xml': { schema: text } }),
    reported: 'webhooks.event: is not sent as application/json',
  },
  'a response to a webhook has no meaning any more': {
    breaks: d => delete hook(d).responses[410],
    reported: 'webhooks.event: has no response 410',
    harmless: d => (hook(d).responses[402] = { description: 'New.' }),
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
