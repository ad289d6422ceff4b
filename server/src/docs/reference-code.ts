/** An example request. */
export interface ExampleCall {
  operationId: string
  method: string
  /** As in the document: `/nations/{id}`. */
  pattern: string
  /** With its values, and a query: `/nations/n4?include=wars`. */
  target: string
  needsKey: boolean
  /** Parameters that take a list. */
  lists: readonly string[]
  body?: { contentType: string; text: string }
}

/** The same request in one language. */
export interface Snippet {
  language: string
  code: string
}

interface StreamReader {
  /** How each client reads it. */
  typeScript: (given: string) => string
  python: string
}

/** A client reads a stream as part of something that continues after interruptions. */
export const streamReaders: Readonly<Record<string, StreamReader>> = {
  'events.stream': {
    typeScript: given =>
      `for await (const event of client.events.follow(${given})) {\n  console.log(event.seq, event.summary)\n}`,
    python: 'for event in client.follow():\n    print(event["seq"], event["summary"])',
  },
  'changes.stream': {
    typeScript: () =>
      "const mirror = await client.mirror('world.db')\nfor await (const change of mirror.follow()) console.log(change)",
    python: 'for change in client.mirror("world.db").follow():\n    print(change)',
  },
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A request to the public API, with curl and with each client. */
export function publicSnippets(
  call: ExampleCall,
  { baseUrl, publicUrl }: { baseUrl: string; publicUrl: string },
): Snippet[] {
  const header = call.needsKey ? ` \\\n  -H "Authorization: Bearer $API_KEY"` : ''
  const stream = streamReaders[call.operationId]
  return [
    { language: 'curl', code: `curl ${stream ? '-N ' : ''}${quoted(baseUrl + call.target)}${header}` },
    { language: 'TypeScript', code: typeScriptOf(call, publicUrl, stream) },
    { language: 'Python', code: pythonOf(call, publicUrl, stream) },
  ]
}

/** A request to the operator API. */
export function operatorSnippets({ method, target, body }: ExampleCall): Snippet[] {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$CHANCERY_OPERATOR_URL${target}"`,
    '-H "Authorization: Bearer $CHANCERY_OPERATOR_TOKEN"',
    ...(body
      ? [`-H 'Content-Type: ${body.contentType}'`, `--data-binary ${quoted(body.text.trimEnd())}`]
      : []),
  ]
  return [{ language: 'curl', code: lines.join(' \\\n  ') }]
}

/** The values of the path in the order of the pattern, and those of the query. */
function valuesOf({ pattern, target }: ExampleCall) {
  const [path = '', query = ''] = target.split('?')
  const segments = path.split('/')
  const inPath = pattern.split('/').flatMap((part, index): [string, string][] => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    return name ? [[name, decodeURIComponent(segments[index] ?? '')]] : []
  })
  return { inPath, inQuery: [...new URLSearchParams(query)] }
}

const literal = (text: string, quote: '"' | "'") =>
  /^(\d{1,15}(\.\d+)?)$/.test(text) ? text : `${quote}${text}${quote}`

function typeScriptOf(call: ExampleCall, publicUrl: string, stream?: StreamReader): string {
  const { inPath, inQuery } = valuesOf(call)
  const query = inQuery
    .map(([name, value]) => `${name}: ${call.lists.includes(name) ? listOf(value) : literal(value, "'")}`)
    .join(', ')
  const given = [...inPath.map(([, value]) => `'${value}'`), ...(query ? [`{ ${query} }`] : [])].join(', ')
  const options = `baseUrl: '${publicUrl}'${call.needsKey ? ', apiKey: process.env.API_KEY' : ''}`
  const made = `import { Chancery } from '@chancery/client'\n\nconst client = new Chancery({ ${options} })\n`
  return stream
    ? `${made}${stream.typeScript(given)}`
    : `${made}const result = await client.${call.operationId}(${given})\nconsole.log(result)`
}

/** The client takes lists as arrays. */
const listOf = (value: string) =>
  `[${value
    .split(',')
    .map(part => `'${part}'`)
    .join(', ')}]`

function pythonOf(call: ExampleCall, publicUrl: string, stream?: StreamReader): string {
  const { inPath, inQuery } = valuesOf(call)
  const key = call.needsKey ? ', api_key=os.environ["API_KEY"]' : ''
  const made = `${call.needsKey ? 'import os\n' : ''}from chancery import Chancery\n\nclient = Chancery("${publicUrl}"${key})\n`
  if (stream) return made + stream.python
  if (call.operationId === 'discord.verify')
    return `${made}print(client.verify(${inPath.map(([, value]) => `"${value}"`).join('')}))`
  const values = [...inPath, ...inQuery].map(([name, value]) => `, ${name}=${literal(value, '"')}`)
  return `${made}print(client.get("${call.pattern}"${values.join('')}))`
}
