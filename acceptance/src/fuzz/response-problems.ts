import type { Exchange } from '../exchange.ts'
import { dig } from '../json.ts'
import type { Checker } from './checker.ts'
import type { Operation, ResponseDescription, Schema } from './document.ts'

/** The problems of a response, by the document of its operation. */
export function responseProblems(checker: Checker, operation: Operation, exchange: Exchange): string[] {
  const { status } = exchange
  if (status >= 500) return [`${status}: the server failed${aboutError(exchange)}`]
  const described = operation.responses[status] ?? (status >= 400 ? operation.responses.default : undefined)
  if (!described) return [`${status} is not documented for ${operation.id}${aboutError(exchange)}`]
  return documentedProblems(checker, described, exchange)
}

/** The problems of a response, by one description of it. */
export function documentedProblems(
  checker: Checker,
  described: ResponseDescription,
  exchange: Exchange,
): string[] {
  return [...headerProblems(checker, described, exchange), ...bodyProblems(checker, described, exchange)]
}

function headerProblems(
  checker: Checker,
  { headers }: ResponseDescription,
  { responseHeaders }: Exchange,
): string[] {
  return Object.entries(headers).flatMap(([name, { required, schema }]) => {
    const text = responseHeaders[name.toLowerCase()]
    if (text === undefined) return required ? [`the header ${name} is missing`] : []
    const isNumber = schema.type === 'integer' || schema.type === 'number'
    const value = isNumber && /^-?\d+(\.\d+)?$/.test(String(text)) ? Number(text) : String(text)
    return checker.problems(schema, value).map(problem => `the header ${name}: ${text}: ${problem}`)
  })
}

function bodyProblems(checker: Checker, { content }: ResponseDescription, exchange: Exchange): string[] {
  const { method, status, responseHeaders, bytes, json, problem } = exchange
  if (method === 'HEAD') return bytes === 0 ? [] : ['the response to HEAD has a body']
  if (!content) return bytes === 0 ? [] : [`${status} has a body that is not documented`]
  const type = String(responseHeaders['content-type'])
  const [essence = ''] = type.split(';')
  const schema = content[essence]?.schema
  if (!schema) return [`the content type ${type} is not documented for ${status}`]
  if (essence !== 'application/json') return textProblems(checker, essence, schema, exchange)
  if (!/; *charset=utf-8$/i.test(type)) return [`the content type is ${type}, without charset=utf-8`]
  if (problem !== undefined || json === undefined)
    return [`the body is not JSON: ${problem ?? 'it is empty'}`]
  return [...checker.problems(schema, json), ...requestIdProblems(exchange)]
}

/** Lines and events are checked one by one; other texts are not. */
function textProblems(checker: Checker, type: string, schema: Schema, { raw }: Exchange): string[] {
  if (type === 'text/event-stream') {
    const { problems, data } = eventsIn(raw.toString())
    return [...problems, ...data.flatMap(each => checker.problems(schema.contentSchema ?? {}, each))]
  }
  if (type !== 'application/x-ndjson') return []
  const lines = raw.toString().split('\n').slice(0, -1)
  return lines.flatMap(line => {
    try {
      return checker.problems(schema.contentSchema ?? {}, JSON.parse(line))
    } catch {
      return [`a line is not JSON: ${line.slice(0, 100)}`]
    }
  })
}

function requestIdProblems({ json, responseHeaders }: Exchange): string[] {
  const id = dig(json, 'error.request_id')
  return id === undefined || id === responseHeaders['x-request-id']
    ? []
    : [`request_id is ${id}, and the header x-request-id ${responseHeaders['x-request-id']}`]
}

const aboutError = ({ json }: Exchange) => {
  const code = dig(json, 'error.code')
  return code === undefined ? '' : ` (${code}: ${dig(json, 'error.message')})`
}

/** The server-sent events of a text that may end in the middle of one. */
function eventsIn(text: string): { data: unknown[]; problems: string[] } {
  const data: unknown[] = []
  const problems: string[] = []
  const lines = text.slice(0, text.lastIndexOf('\n\n') + 1).split('\n')
  for (const line of lines) {
    if (line === '' || line.startsWith(':') || /^(id|retry): \d+$/.test(line)) continue
    if (!line.startsWith('data: ')) {
      problems.push(`a line is none of server-sent events: ${line.slice(0, 100)}`)
      continue
    }
    try {
      data.push(JSON.parse(line.slice('data: '.length)))
    } catch {
      problems.push(`data is not JSON: ${line.slice(0, 100)}`)
    }
  }
  return { data, problems }
}

const enoughBytes = 20_000

/** After a comment the stream has sent the log; after this many bytes there are enough events to check. */
export const hasEnoughEvents = (raw: Buffer): boolean => raw.length > enoughBytes || raw.includes('\n: ')
