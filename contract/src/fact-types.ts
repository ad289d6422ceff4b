import { type Contract, factResources } from './contract.ts'
import { eventFact } from './facts.ts'
import { type PrintableSchema, printMembers } from './print-type.ts'

/** The data of the facts of a game as a TypeScript interface, for `@chancery/game`. */
export function factTypes({ profile, factSchemas, eventKinds }: Contract): string {
  const sent = Object.entries(eventKinds).filter(([, { isDerived }]) => !isDerived)
  const members = printMembers(
    allRequired({
      resources: allRequired(Object.fromEntries(factResources.map(name => [name, factSchemas[name]]))),
      events: allRequired(
        Object.fromEntries(
          sent.map(([type, kind]) => [type, eventFact(type, kind).properties.data.properties.data]),
        ),
      ),
    }),
  )
  const name = profile.name.replaceAll('*/', '')
  return indented(
    [
      '// Written by: chancery profile types',
      '',
      `/** The facts of ${name}. */`,
      'export interface GameFacts {',
      members,
      '}',
    ].join('\n'),
  )
}

const allRequired = (properties: Record<string, object>): PrintableSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map(line => {
    if (/^[})]/.test(line)) depth -= 1
    const space = '  '.repeat(depth)
    if (/[{(]$/.test(line) && !/^ ?[/*]/.test(line)) depth += 1
    return line === '' ? line : space + line
  })
  return `${lines.join('\n')}\n`
}
