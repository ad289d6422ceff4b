import {
  type Content,
  type Document,
  type Header,
  nameOf,
  type Operation,
  type Parameter,
  type Response,
  resolve,
} from './document.ts'
import { type CompareSchemas, createSchemaComparison } from './schema-changes.ts'

/** Compares operations of two documents, and the responses and headers that operations share. Each change is one line. */
export interface OperationComparison {
  operation(before: Operation, after: Operation): string[]
  /** A request that the service sends: callers receive its headers and body, and send the response. */
  webhook(before: Operation, after: Operation): string[]
  response(before: Partial<Response>, after: Partial<Response>, place: string): string[]
  header(before: Header, after: Header, place: string): string[]
}

export function createOperationComparison(documents: {
  before: Document
  after: Document
}): OperationComparison {
  const { before: known, after: now } = documents
  const compareSent = createSchemaComparison(documents, 'request')
  const compareReceived = createSchemaComparison(documents, 'response')
  return { operation, webhook, response, header: headerChanges }

  function operation(before: Operation, after: Operation): string[] {
    return [
      ...(after.operationId === before.operationId ? [] : [`is renamed ${after.operationId}`]),
      ...accessChanges(before, after),
      ...parameterChanges(parametersOf(before, known), parametersOf(after, now)),
      ...bodyChanges(before, after),
      ...responseChanges(before, after),
    ]
  }

  function webhook(before: Operation, after: Operation): string[] {
    const sent = parametersOf(after, now)
    const statuses = Object.keys(before.responses).filter(status => !after.responses[status])
    return [
      ...[...parametersOf(before, known)].flatMap(([key, { name, schema }]) => {
        const later = sent.get(key)
        return later ? compareReceived(schema, later.schema, `header ${name}`) : [`has no header ${name}`]
      }),
      ...contentChanges(
        before.requestBody?.content,
        after.requestBody?.content,
        'body',
        compareReceived,
        type => `is not sent as ${type}`,
      ),
      ...statuses.map(status => `has no response ${status}`),
    ]
  }

  function accessChanges(before: Operation, after: Operation): string[] {
    const scopes = Object.entries(scopesOf(before)).flatMap(([section, scope]) => {
      const needed = scopesOf(after)[section]
      const name = section === '' ? '' : `include=${section} `
      return needed === undefined || needed === scope || needed === 'none'
        ? []
        : [`${name}requires the scope ${needed}, not ${scope}`]
    })
    const roles = new Set(before['x-roles']).difference(new Set(after['x-roles']))
    const schemesOf = (operation: Operation, document: Document) =>
      (operation.security ?? document.security ?? [{}]).map(each => Object.keys(each))
    const accepted = schemesOf(after, now)
    const isClosed = schemesOf(before, known).some(
      given => !accepted.some(needed => needed.every(scheme => given.includes(scheme))),
    )
    return [
      ...scopes,
      ...[...roles].map(role => `is closed to the role ${role}`),
      ...(isClosed ? [`requires ${accepted.map(schemes => schemes.join(' and ')).join(' or ')}`] : []),
    ]
  }

  function parameterChanges(before: Map<string, Parameter>, after: Map<string, Parameter>): string[] {
    return [
      ...[...before].flatMap(([key, parameter]) => {
        const place = `parameter ${parameter.name}`
        const later = after.get(key)
        if (!later) return [`${place} is removed`]
        const isSame = serializationOf(parameter) === serializationOf(later)
        return [
          ...(isSame ? [] : [`${place} is serialized in another way`]),
          ...compareSent(parameter.schema, later.schema, place),
        ]
      }),
      ...[...after]
        .filter(([key, { required }]) => required && !before.get(key)?.required)
        .map(([, { name }]) => `parameter ${name} is required`),
    ]
  }

  function bodyChanges(before: Operation, after: Operation): string[] {
    const { requestBody: sent } = before
    const { requestBody: accepted } = after
    const isRequired = accepted?.required && !sent?.required
    return [
      ...(isRequired ? ['a request body is required'] : []),
      ...contentChanges(
        sent?.content,
        accepted?.content,
        'body',
        compareSent,
        type => `does not accept ${type}`,
      ),
    ]
  }

  function responseChanges(before: Operation, after: Operation): string[] {
    return Object.entries(before.responses).flatMap(([status, sent]) => {
      const later = after.responses[status]
      if (!later) return [`response ${status} is removed`]
      if (isSameReference(sent, later)) return []
      return response(
        resolve<Response>(sent, known.components.responses),
        resolve<Response>(later, now.components.responses),
        `response ${status}`,
      )
    })
  }

  function headerChanges(before: Header, after: Header, place: string): string[] {
    return compareReceived(before.schema ?? {}, after.schema ?? {}, place)
  }

  function response(before: Partial<Response>, after: Partial<Response>, place: string): string[] {
    const codes = errorCodesOf(before).difference(errorCodesOf(after))
    return [
      ...[...codes].map(code => `${place} has no error code ${code}`),
      ...Object.entries(before.headers ?? {}).flatMap(([name, header]) => {
        const later = after.headers?.[name]
        if (!later) return [`${place} has no header ${name}`]
        if (isSameReference(header, later)) return []
        const sent = resolve<Header>(header, known.components.headers)
        return headerChanges(sent, resolve<Header>(later, now.components.headers), `${place} header ${name}`)
      }),
      ...contentChanges(
        before.content,
        after.content,
        place,
        compareReceived,
        type => `${place} is not sent as ${type}`,
      ),
    ]
  }
}

function contentChanges(
  before: Content = {},
  after: Content = {},
  place: string,
  compare: CompareSchemas,
  removed: (type: string) => string,
): string[] {
  return Object.entries(before).flatMap(([type, { schema }]) => {
    const later = after[type]
    return later ? compare(schema ?? {}, later.schema ?? {}, place) : [removed(type)]
  })
}

/** A shared component is compared once, under its own name. */
const isSameReference = (before: object, after: object): boolean =>
  '$ref' in before && '$ref' in after && before.$ref === after.$ref

/** The scope that a key needs for the operation ('') and for each section of its result. */
const scopesOf = (operation: Operation): Record<string, string> => ({
  '': operation['x-scope'] ?? 'none',
  ...operation['x-include-scopes'],
})

function parametersOf(operation: Operation, { components }: Document): Map<string, Parameter> {
  const parameters = (operation.parameters ?? []).map(each =>
    '$ref' in each ? components.parameters?.[nameOf(each.$ref)] : each,
  )
  return new Map(
    parameters.filter(each => each !== undefined).map(each => [`${each.in} ${each.name}`, each] as const),
  )
}

/** How a list is written in a URL or header, with the defaults of OpenAPI. */
function serializationOf({ in: place, style, explode }: Parameter): string {
  const used = style ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  return `${used} ${explode ?? used === 'form'}`
}

/** A response lists its error codes in its description, a paragraph each. */
const errorCodesOf = ({ description = '' }: Partial<Response>): Set<string> =>
  new Set([...description.matchAll(/^`([a-z_]+)`:/gm)].map(([, code = '']) => code))
