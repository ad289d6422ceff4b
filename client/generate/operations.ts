import type { Operation } from '@chancery/contract'
import { cachePolicyOf, groups, limits, methodNamesOf, pathParameters } from './described.ts'

const clientLimits = [
  'anonymousCalls',
  'keyCalls',
  'windowSeconds',
  'sharedCacheSeconds',
  'pageSizeMax',
  'streamHeartbeatSeconds',
  'streamRetrySeconds',
] as const

const generatedNotice =
  '// Written by client/generate/main.ts from the contract. Change the contract, then run: npm run generate'

/** The text of `src/limits.ts`: the limits that the client uses. */
export const limitsText = (): string =>
  `${generatedNotice}\n\n/** The limits of the API that the client uses. */\nexport const limits = {\n${clientLimits
    .map(name => `${name}: ${limits[name]},`)
    .join('\n')}\n}`

/** The text of `src/operations.ts`: a method for each operation, grouped by the first part of its id. */
export const operationsText = (): string =>
  [
    generatedNotice,
    `import type { Operations } from './api-types.ts'\nimport type { Calls } from './calls.ts'`,
    `/** A method for each operation. */
export class OperationGroups implements Operations {
${groups()
  .map(([group]) => `readonly ${group}: Operations['${group}']`)
  .join('\n')}

constructor({ item, items, page }: Calls) {
${groups()
  .map(([group, operations]) => `this.${group} = {\n${operations.map(methods).join('\n')}\n}`)
  .join('\n')}
}
}`,
  ].join('\n\n')

function methods(operation: Operation): string {
  const { method, iterator } = methodNamesOf(operation)
  const ids = pathParameters(operation).map(([name]) => name)
  const parameters = ids.length > 0 ? `(${[...ids, 'options'].join(', ')})` : 'options'
  const values = ids.length > 0 ? `, { ${ids.join(', ')} }` : ''
  const call = `('${operation.path}', '${cachePolicyOf(operation)}', options${values})`
  if (!operation.returns.isList) return `${method}: ${parameters} => item${call},`
  return `${method}: ${parameters} => page${call},\n${iterator}: ${parameters} => items${call},`
}
