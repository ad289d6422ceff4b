import type { OpenApiDocument } from '@chancery/contract'
import { useQuery } from '@tanstack/react-query'
import { readError, unreachableError } from '../api/api-error.ts'
import { basePath } from '../api/base-path.ts'

type DocumentOperation = OpenApiDocument['paths'][string]['get']
type JsonSchema = OpenApiDocument['components']['schemas'][string]

export interface Operation {
  id: string
  summary: string
  /** Relative to the base URL of the API: `/nations/{id}`. */
  path: string
  tag: string
  requiresKey: boolean
  parameters: Parameter[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  description: string
  isRequired: boolean
  /** Shown in an empty input; empty where the document has none. */
  example: string
  /** The known values; null where others are possible. */
  values: string[] | null
  /** Whether it takes several values. */
  isList: boolean
  /** The default value; empty for none. */
  fallback: string
}

/** The operations of the OpenAPI document of this server. */
export const useOperations = () =>
  useQuery({ queryKey: ['operations'], queryFn: readOperations, staleTime: Number.POSITIVE_INFINITY })

/** Streams have no end, so that their responses cannot be shown as a whole. */
const isStream = ({ responses: { 200: ok } }: DocumentOperation) =>
  ok !== undefined && 'content' in ok && 'text/event-stream' in (ok.content ?? {})

async function readOperations(): Promise<Operation[]> {
  const res = await fetch(`${basePath()}/openapi.json`, { credentials: 'omit' }).catch(() => {
    throw unreachableError()
  })
  if (!res.ok) throw await readError(res)
  const { paths }: OpenApiDocument = await res.json()
  return Object.entries(paths).flatMap(([path, { get }]) => (isStream(get) ? [] : [operationOf(path, get)]))
}

const operationOf = (path: string, operation: DocumentOperation): Operation => ({
  id: operation.operationId,
  summary: operation.summary,
  path,
  tag: operation.tags[0] ?? 'Other',
  requiresKey:
    operation.security.length > 0 && operation.security.every(scheme => Object.keys(scheme).length > 0),
  parameters: operation.parameters.flatMap(parameterOf),
})

/** Header parameters and references to shared ones are left out. */
const parameterOf = (parameter: DocumentOperation['parameters'][number]): Parameter[] =>
  'name' in parameter && (parameter.in === 'path' || parameter.in === 'query')
    ? [
        {
          name: parameter.name,
          in: parameter.in,
          description: parameter.description,
          isRequired: parameter.required ?? false,
          example: exampleOf(parameter.schema),
          values: valuesOf(parameter.schema),
          isList: parameter.schema.items !== undefined,
          fallback: String(parameter.schema.default ?? ''),
        },
      ]
    : []

function valuesOf({ enum: values, items }: JsonSchema): string[] | null {
  if (Array.isArray(values)) return values.map(String)
  return items ? valuesOf(items) : null
}

function exampleOf({ examples, default: fallback, enum: values, items }: JsonSchema): string {
  const example = examples?.[0] ?? fallback ?? (Array.isArray(values) ? values.join(', ') : undefined)
  return example === undefined ? (items ? exampleOf(items) : '') : String(example)
}
