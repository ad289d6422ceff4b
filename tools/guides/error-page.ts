import { type ErrorCode, errors, type OperatorErrorCode, operatorErrors } from '@chancery/contract'

type Facts = { status: number; description: string; fix: string }

const apiErrors: Readonly<Partial<Record<string, Facts>>> = errors
const atOperator: Readonly<Partial<Record<string, Facts>>> = operatorErrors

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

/** A page with what the contract says of its code put into its places. A code of both listeners has a place for each. */
export function withFacts(page: string, code: string): string {
  const [api, operator] = [apiErrors[code], atOperator[code]]
  const withApi = api ? withMarked(page, 'facts', factsTable(api)) : page
  return operator ? withMarked(withApi, 'operator facts', factsTable(operator)) : withApi
}

/** The list of all pages, with the contract's words put into its places. */
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

/** Headers that help whoever sees the error; the others are the same on every answer. */
const telling = ['allow', 'www-authenticate', 'retry-after', 'x-request-id']
const tellingOfLimits = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-reason',
]

/** An answer as a page shows it: its first line, the headers that matter, the body. `raw` is as curl -i prints it. */
export function shownAnswer(raw: string, code: string): string {
  const [head = '', body = ''] = raw.replaceAll('\r', '').split('\n\n')
  const [first = '', ...headers] = head.split('\n')
  const wanted = code === 'rate_limited' ? [...tellingOfLimits, ...telling] : telling
  const shown = headers.filter(line => wanted.includes(line.split(':')[0]?.toLowerCase() ?? ''))
  return [first.trim(), ...shown, '', body].join('\n')
}

export const withAnswer = (page: string, answer: string) =>
  withMarked(page, 'answer', `\`\`\`http\n${answer}\n\`\`\``)

/** An answer without what differs from call to call. */
export const lasting = (answer: string) =>
  answer
    .replace(/^(retry-after|x-ratelimit-(?:remaining|reset)): \d+$/gm, '$1: n')
    .replace(/req_\w+/g, 'req_')

/** Puts `text` in place of what follows the comment of this name: a fenced block, or a paragraph. */
function withMarked(markdown: string, name: string, text: string): string {
  const marked = RegExp(`(<!-- ${name} -->\\n\\n)(?:\`\`\`.*?\\n\`\`\`|.*?)(?=\\n\\n|\\n$)`, 's')
  if (!marked.test(markdown)) throw new Error(`the document has no place named ${name}`)
  return markdown.replace(marked, (_, mark: string) => mark + text)
}
