import { type Direction, type Document, directionsOf, type Operation, type Schema } from './document.ts'
import { createOperationComparison } from './operation-changes.ts'
import { createSchemaComparison } from './schema-changes.ts'

/** A change after which a correct caller may fail. */
export interface BreakingChange {
  /** The name that the changelog must contain: the id of the operation, or the name of the schema or response. */
  subject: string
  /** What changed, in one line. */
  change: string
}

/**
 * Compares an OpenAPI document with a later one. Additions are not breaking: operations, optional
 * parameters and members, fields, statuses, error codes, and values in a response.
 */
export function breakingChanges(before: Document, after: Document): BreakingChange[] {
  const documents = { before, after }
  const compare = createOperationComparison(documents)
  const compareSchemas = {
    request: createSchemaComparison(documents, 'request'),
    response: createSchemaComparison(documents, 'response'),
  }
  const directions = directionsOf(before)

  const operations = operationChanges(before.paths, after.paths, compare.operation)
  const webhooks = operationChanges(before.webhooks, after.webhooks, compare.webhook)
  const { responses, headers, schemas } = before.components
  return [
    ...operations,
    ...webhooks,
    ...componentChanges(responses, after.components.responses, compare.response),
    ...componentChanges(headers, after.components.headers, compare.header),
    ...componentChanges(schemas, after.components.schemas, schemaChanges),
  ]

  function schemaChanges(known: Schema, now: Schema, name: string): string[] {
    const used: Iterable<Direction> = directions.get(`schemas/${name}`) ?? ['response']
    return [...new Set([...used].flatMap(direction => compareSchemas[direction](known, now, name)))]
  }
}

function operationChanges(
  before: Document['paths'] = {},
  after: Document['paths'] = {},
  compare: (known: Operation, now: Operation) => string[],
): BreakingChange[] {
  return Object.entries(before).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const later = after[path]?.[method]
      const changes = later ? compare(operation, later) : [`${method.toUpperCase()} ${path} is removed`]
      return changes.map(change => ({ subject: operation.operationId, change }))
    }),
  )
}

function componentChanges<T>(
  before: Record<string, T> = {},
  after: Record<string, T> = {},
  compare: (known: T, now: T, name: string) => string[],
): BreakingChange[] {
  return Object.entries(before).flatMap(([name, known]) => {
    const now = after[name]
    const changes = now ? compare(known, now, name) : [`${name} is removed`]
    return changes.map(change => ({ subject: name, change }))
  })
}

/** The entries under "Breaking" of all versions after this one; empty without any. */
export function breakingSection(changelog: string, version: string): string {
  const [later = ''] = changelog.split(`\n## [${version}]`)
  return [...later.matchAll(/^### Breaking$([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, text]) => text).join('')
}
