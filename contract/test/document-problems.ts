import type { OpenApiDocument } from '../src/index.ts'
import { compiler, complaints } from './compile.ts'

/** What is wrong with a document: references that lead nowhere, names that tools refuse, schemas and examples that do not hold. */
export function documentProblems(document: OpenApiDocument): string[] {
  const problems: string[] = []
  const text = JSON.stringify(document)
  const kinds: Record<string, object> = document.components
  const known = new Set(
    Object.entries(kinds).flatMap(([kind, components]) =>
      Object.keys(components).map(name => `#/components/${kind}/${name}`),
    ),
  )
  for (const ref of refsIn(document)) if (!known.has(ref)) problems.push(`${ref} leads nowhere`)
  for (const name of known)
    if (!/^#\/components\/\w+\/[\w.-]+$/.test(name)) problems.push(`${name} is no name`)

  const compile = compiler({ openapi: JSON.parse(text) as object })
  for (const name of Object.keys(document.components.schemas)) {
    const { examples } = document.components.schemas[name] ?? {}
    const validate = compile({ $ref: `openapi#/components/schemas/${name}` })
    for (const example of examples ?? [])
      problems.push(...complaints(validate, example).map(it => `${name}: ${it}`))
  }
  for (const [path, { get }] of Object.entries(document.paths)) {
    for (const [status, response] of Object.entries(get.responses)) {
      const json = 'content' in response ? response.content?.['application/json'] : undefined
      if (!json) continue
      const schema = JSON.parse(JSON.stringify(json.schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'))
      const validate = compile(schema as object)
      for (const { value } of Object.values(json.examples))
        problems.push(...complaints(validate, value).map(it => `${path} ${status}: ${it}`))
    }
  }
  return problems
}

/** Targets of references: a member called `$ref` with a text; examples may hold anything. */
function refsIn(within: unknown, name = ''): string[] {
  if (typeof within !== 'object' || within === null || name === 'examples') return []
  return Object.entries(within).flatMap(([member, inner]) =>
    member === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner, member),
  )
}
