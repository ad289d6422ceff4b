import { createRequire } from 'node:module'
import { join } from 'node:path'
import { logLevels } from '../../server/src/telemetry/log.ts'
import { sourceFiles } from '../import-rules/cruise-tree.ts'

/** A call in the source that writes a log line. */
export interface LogCall {
  file: string
  /** More than one if the call chooses. */
  levels: string[]
  /** With … for the variable parts. */
  message: string
  fields: string[]
}

/** A node of the syntax tree. */
type Node = { type?: string } & Record<string, unknown>

interface Swc {
  parseFileSync(file: string, options: object): Node
}

const swc = createRequire(import.meta.url)('@swc/core') as Swc
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})
const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** Every log line that the source of the service can write. */
export function logCalls(root: string): LogCall[] {
  return sourceFiles(root)
    .filter(file => file.startsWith('server/src/'))
    .flatMap(file => {
      const calls: LogCall[] = []
      const tree = swc.parseFileSync(join(root, file), { syntax: 'typescript', target: 'es2024' })
      walk(tree, node => {
        const call = node.type === 'CallExpression' ? readCall(node, file) : undefined
        if (call) calls.push(call)
      })
      return calls
    })
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit)
}

function readCall(node: Node, file: string): LogCall | undefined {
  const levels = levelsOf(nodeOf(node.callee))
  if (levels.length === 0) return undefined
  const words = nodesOf(node.arguments).map(({ expression }) => nodeOf(expression))
  const message = textOf(words.at(-1) ?? {})
  // A message in a variable was written by another call.
  if (message === undefined) return undefined
  const properties = words.length > 1 ? nodesOf(words[0]?.properties) : []
  const fields = properties.map(property =>
    String(property.value && !property.key ? property.value : nodeOf(property.key).value),
  )
  return { file, levels, message, fields }
}

/** The levels of `log.warn`, of `parts.log[isGrave ? 'error' : 'warn']`, and of `log` alone, which the bundled database calls. */
function levelsOf(callee: Node): string[] {
  if (isLog(callee)) return ['info']
  if (callee.type !== 'MemberExpression' || !isLog(nodeOf(callee.object))) return []
  const property = nodeOf(callee.property)
  if (property.type === 'Identifier') return logLevels.filter(level => level === property.value)
  const found: string[] = []
  walk(property, ({ type, value }) => {
    if (type === 'StringLiteral' && logLevels.some(level => level === value)) found.push(String(value))
  })
  return found
}

const isLog = (node: Node): boolean =>
  node.type === 'Identifier'
    ? node.value === 'log'
    : node.type === 'MemberExpression' && nodeOf(node.property).value === 'log'

function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return String(node.value)
  if (node.type !== 'TemplateLiteral') return undefined
  return nodesOf(node.quasis)
    .map(({ cooked }) => cooked)
    .join('…')
}
