import { type ErrorCode, errors, type OperatorErrorCode, operatorErrors } from '@chancery/contract'

type Facts = { status: number; description: string; fix: string }

const apiErrors: Readonly<Partial<Record<string, Facts>>> = errors
const operatorFacts: Readonly<Partial<Record<string, Facts>>> = operatorErrors

/** Every code that has a page. */
export const pageCodes: readonly (ErrorCode | OperatorErrorCode)[] = [
  ...new Set([...Object.keys(errors), ...Object.keys(operatorErrors)] as (ErrorCode | OperatorErrorCode)[]),
]

/** A table as the formatter writes it: columns are as wide as their widest cell. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map(cells => cells[column]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

const factsTable = ({ status, description, fix }: Facts) =>
  table(['Status', 'What happened', 'What to do'], [[String(status), description, fix]])

/** A page with the contract's facts on its code filled in. A code of both listeners has a table for each. */
export function withFacts(page: string, code: string): string {
  const [api, operator] = [apiErrors[code], operatorFacts[code]]
  const withApi = api ? withMarked(page, 'facts', factsTable(api)) : page
  return operator ? withMarked(withApi, 'operator facts', factsTable(operator)) : withApi
}

/** The list of all pages with the contract's facts filled in. */
export function withLists(list: string): string {
  const rows = (facts: Readonly<Record<string, Facts>>) =>
    table(
      ['Status', 'Code', 'What happened'],
      Object.entries(facts).map(([code, { status, description }]) => [
        String(status),
        `[${code}](${code}.md)`,
        description,
      ]),
    )
  return withMarked(withMarked(list, 'api', rows(errors)), 'operator', rows(operatorErrors))
}

/** Headers that help with the error; the others are the same on every response. */
const shownHeaders = ['allow', 'content-range', 'www-authenticate', 'retry-after', 'x-request-id']
const limitHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-reason']

/** A response as a page shows it: its first line, the relevant headers, the body. `raw` is the output of curl -i. */
export function shownResponse(raw: string, code: string): string {
  const [head = '', body = ''] = raw.replaceAll('\r', '').split('\n\n')
  const [first = '', ...headers] = head.split('\n')
  const wanted = code === 'rate_limited' ? [...limitHeaders, ...shownHeaders] : shownHeaders
  const shown = headers.filter(line => wanted.includes(line.split(':')[0]?.toLowerCase() ?? ''))
  return [first.trim(), ...shown, '', body].join('\n')
}

export const withResponse = (page: string, response: string) =>
  withMarked(page, 'response', `\`\`\`http\n${response}\n\`\`\``)

/** A response without the parts that differ between requests. */
export const withoutVariableParts = (response: string) =>
  response
    .replace(/^(retry-after|x-ratelimit-(?:remaining|reset)): \d+$/gm, '$1: n')
    .replace(/^(content-range: bytes \*\/)\d+$/gm, '$1n')
    .replace(/req_\w+/g, 'req_')

/** Replaces the fenced block, or the paragraph, after the comment with this name. */
function withMarked(markdown: string, name: string, text: string): string {
  const marked = RegExp(`(<!-- ${name} -->\\n\\n)(?:\`\`\`.*?\\n\`\`\`|.*?)(?=\\n\\n|\\n$)`, 's')
  if (!marked.test(markdown)) throw new Error(`the document has no place named ${name}`)
  return markdown.replace(marked, (_, mark: string) => mark + text)
}
