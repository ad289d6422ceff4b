import { useQuery } from '@tanstack/react-query'
import { readError } from '../api/errors.ts'
import { unreachableError } from '../api/request.ts'

export interface Parameter {
  name: string
  in: 'path' | 'query'
  description: string
  isRequired: boolean
  /** A value to show where nothing is written; empty where the document has none. */
  example: string
}

export interface Operation {
  id: string
  summary: string
  /** As in the document, relative to the base of the API: `/nations/{id}`. */
  path: string
  tag: string
  needsKey: boolean
  parameters: Parameter[]
}

/** The parts of an OpenAPI document that are read here. */
export interface Document {
  paths: Record<string, { get?: DocumentOperation }>
}

interface DocumentOperation {
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  parameters?: DocumentParameter[]
}

interface Schema {
  examples?: unknown[]
  default?: unknown
  enum?: unknown[]
  items?: Schema
}

interface DocumentParameter {
  /** Missing in a reference; what is shared by reference are headers. */
  name?: string
  in?: string
  description?: string
  required?: boolean
  schema?: Schema
}

/** Answers without end cannot be shown whole. */
const streamOperation = 'events.stream'

const operationsOf = ({ paths }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, { get }]) =>
    get && get.operationId !== streamOperation ? [operationOf(path, get)] : [],
  )

const operationOf = (path: string, of: DocumentOperation): Operation => ({
  id: of.operationId,
  summary: of.summary,
  path,
  tag: of.tags[0] ?? 'Others',
  needsKey: of.security.length > 0 && of.security.every(way => Object.keys(way).length > 0),
  parameters: (of.parameters ?? []).flatMap(parameterOf),
})

const parameterOf = ({ name, in: place, description, required, schema }: DocumentParameter): Parameter[] =>
  name !== undefined && (place === 'path' || place === 'query')
    ? [
        {
          name,
          in: place,
          description: description ?? '',
          isRequired: required ?? false,
          example: schema ? exampleOf(schema) : '',
        },
      ]
    : []

function exampleOf({ examples, default: otherwise, enum: values, items }: Schema): string {
  const example = examples?.[0] ?? otherwise ?? values?.join(', ')
  return example === undefined ? (items ? exampleOf(items) : '') : String(example)
}

async function readOperations(): Promise<Operation[]> {
  const res = await fetch('/openapi.json', { credentials: 'omit' }).catch(() => {
    throw unreachableError()
  })
  if (!res.ok) throw await readError(res)
  const document: Document = await res.json()
  return operationsOf(document)
}

export const useOperations = () =>
  useQuery({ queryKey: ['operations'], queryFn: readOperations, staleTime: Number.POSITIVE_INFINITY })
